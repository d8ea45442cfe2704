"""Steps that the algorithms with a bounded radius share."""

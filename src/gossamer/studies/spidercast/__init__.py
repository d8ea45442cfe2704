"""SpiderCast (DEBS 2007), section 3: every table, figure and stated number."""

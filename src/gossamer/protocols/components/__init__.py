"""What several protocols use: views of others' interests, gossip membership, failure detection."""

"""TD-CD-ODA (ICSC 2017): Tables I to VI."""

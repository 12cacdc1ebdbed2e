"""What a year in production asks for: another policy, rewind, censor, erase, archive, restore, backup."""

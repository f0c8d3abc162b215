//! Load and store of conversations as a hash-linked chain of turns, committed by one conditional write.

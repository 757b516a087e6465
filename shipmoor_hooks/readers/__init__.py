"""Report readers: bytes to records. `READERS` in `registry` names them."""

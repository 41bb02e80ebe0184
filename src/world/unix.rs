//! The only unsafe code: what neither std nor rustix offers.

//! TCP-AO with any MAC: sign, verify, diagnose and carry TCP segments (RFC 5925).

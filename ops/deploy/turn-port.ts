/** Where `turn` listens, over UDP and TCP: the port of TURN (RFC 8656). */
export const turnPort = 3478

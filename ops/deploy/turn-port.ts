/** The UDP and TCP port of `turn` (TURN, RFC 8656). */
export const turnPort = 3478

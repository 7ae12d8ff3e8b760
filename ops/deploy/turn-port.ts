export const turnPort = 3478

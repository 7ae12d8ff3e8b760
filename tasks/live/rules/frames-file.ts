/** Name of the file of an origin that has the frames of a broadcast for the WebRTC server, as soon as they arrive. */
export const framesFile = 'frames.mp4'

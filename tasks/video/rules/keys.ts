/** Where the remuxed upload of an asset is kept while its ladder is made. */
export const mezzanineKey = (assetId: string, file: string) => `${workPrefix(assetId)}${file}`

/** Where an asset's chunks and sound are kept until they are packaged. */
export const workPrefix = (assetId: string) => `video/work/${assetId}/`

/** Where the frames of an asset are kept that were asked for within the last two hours. */
export const framesPrefix = (assetId: string) => `video/frames/${assetId}/`

/** Where an asset's poster is kept. */
export const posterKey = (assetId: string) => `video/posters/${assetId}.jpg`

/** Where the copy of a poster lies that is served without a token, as long as the asset's visibility allows it. */
export const openPosterKey = (assetId: string) => `video/open-posters/${assetId}.jpg`

/** Where the last picture of a live channel is kept. */
export const liveThumbnailKey = (channelId: string) => `video/live/${channelId}/thumbnail.jpg`

/** Where what came of a broadcast is kept until its recording is an asset. */
export const livePrefix = (broadcastId: string) => `video/broadcasts/${broadcastId}/`

/** Where a numbered chunk of a broadcast is kept. */
export const chunkKey = (broadcastId: string, number: number) =>
  `${livePrefix(broadcastId)}${String(number).padStart(7, '0')}.mp4`

/** Where what came of a room's recording is kept until it is an asset. */
export const roomRecordingPrefix = (recordingId: string) => `video/room-recordings/${recordingId}/`

/** Where a numbered chunk of a room's recording is kept. */
export const roomChunkKey = (recordingId: string, number: number) =>
  `${roomRecordingPrefix(recordingId)}${String(number).padStart(7, '0')}.mp4`

/** Key of an asset's remuxed upload, until encoding is finished. */
export const mezzanineKey = (assetId: string, file: string) => `${workPrefix(assetId)}${file}`

export const workPrefix = (assetId: string) => `video/work/${assetId}/`

export const framesPrefix = (assetId: string) => `video/frames/${assetId}/`

export const posterKey = (assetId: string) => `video/posters/${assetId}.jpg`

/** Key of the public copy of a poster. It exists while the visibility allows access without a token. */
export const openPosterKey = (assetId: string) => `video/open-posters/${assetId}.jpg`

export const liveThumbnailKey = (channelId: string) => `video/live/${channelId}/thumbnail.jpg`

export const livePrefix = (broadcastId: string) => `video/broadcasts/${broadcastId}/`

export const chunkKey = (broadcastId: string, number: number) =>
  `${livePrefix(broadcastId)}${String(number).padStart(7, '0')}.mp4`

export const roomRecordingPrefix = (recordingId: string) => `video/room-recordings/${recordingId}/`

export const roomChunkKey = (recordingId: string, number: number) =>
  `${roomRecordingPrefix(recordingId)}${String(number).padStart(7, '0')}.mp4`

/** Prefix of images that belong to an asset and that its owner requested. */
export const extrasPrefix = (assetId: string) => `video/extras/${assetId}/`

export const ownPosterKey = (assetId: string, posterId: string) => `${extrasPrefix(assetId)}poster-${posterId}.jpg`

/** Key of an uploaded poster before it was checked. */
export const rawPosterKey = (assetId: string, posterId: string) => `${extrasPrefix(assetId)}raw-${posterId}`

export const previewKey = (assetId: string, previewId: string) => `${extrasPrefix(assetId)}preview-${previewId}.webp`

/** Returns the key of the poster that is shown: the owner's, or the automatic poster. */
export const shownPosterKey = ({ id, own_poster }: { id: string; own_poster: string | null }) =>
  own_poster === null ? posterKey(id) : ownPosterKey(id, own_poster)

/** Accepted files, as shown to users. The guide has the same list. */
export const acceptedFormats = {
  video: 'MP4, MOV, MKV, WebM, AVI, MPEG-TS, MPEG-PS, FLV, WMV, OGV, MXF, DV',
  image: 'animated GIF, APNG',
  audio: 'MP3, M4A, AAC, WAV, W64, FLAC, OGG, Opus, WMA, AIFF, CAF, AC-3, E-AC-3, DTS, AMR, AU, WavPack, TTA',
} as const

/** Value for `accept` of a file input: types, and extensions of formats for which browsers have no type. */
export const fileInputTypes =
  'video/*,audio/*,image/gif,image/apng,.mkv,.ts,.m2ts,.mts,.flv,.wmv,.mxf,.dv,.apng,.w64,.aiff,.caf,.ac3,.eac3,.dts,.amr,.au,.wv,.tta'

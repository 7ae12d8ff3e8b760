/** The files that become videos, as people know them; the guide has the same list. */
export const accepted = {
  video: 'MP4, MOV, MKV, WebM, AVI, MPEG-TS, MPEG-PS, FLV, WMV, OGV, MXF, DV',
  image: 'animated GIF, APNG',
  audio: 'MP3, M4A, AAC, WAV, W64, FLAC, OGG, Opus, WMA, AIFF, CAF, AC-3, E-AC-3, DTS, AMR, AU, WavPack, TTA',
} as const

/** What a page's file picker offers: types, and the extensions of those that browsers know no type of. */
export const pickable =
  'video/*,audio/*,image/gif,image/apng,.mkv,.ts,.m2ts,.mts,.flv,.wmv,.mxf,.dv,.apng,.w64,.aiff,.caf,.ac3,.eac3,.dts,.amr,.au,.wv,.tta'

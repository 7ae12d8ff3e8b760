import type { VideoTrack } from '#tasks/video/engine.ts'

const drawn = new Set(['gif', 'apng'])

export const isAnimation = ({ codec }: Pick<VideoTrack, 'codec'>): boolean => drawn.has(codec)

/** Maximum length of an animation's longer side in pixels. Each frame needs four bytes per pixel, several times. */
const longest = 2560

/** Filters that draw frames on white, as a web page shows transparent areas, and make their sizes even. */
const filters = [
  'format=rgba',
  `scale=w=min(${longest}\\,iw):h=min(${longest}\\,ih):force_original_aspect_ratio=decrease`,
  'split[page][drawn];[page]lutrgb=r=255:g=255:b=255:a=255[white];[white][drawn]overlay=format=auto',
  'pad=w=ceil(iw/2)*2:h=ceil(ih/2)*2:color=white',
  'scale=out_color_matrix=bt709:out_range=tv',
  'format=yuv420p',
].join(',')

/** Options for encoding an animation almost without loss, with frame times in milliseconds. */
export const animationOptions: string[] = [
  ...['-vf', filters, '-fps_mode', 'passthrough', '-enc_time_base', '1:1000'],
  ...['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '12', '-g', '60', '-flags', '+cgop'],
  ...['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709'],
]

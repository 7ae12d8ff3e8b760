import type { PreviewType } from '../files/rules/previewable.ts'
import type { Cost, Mezzanine, Probe } from './rules/transcode/media.ts'
import type { VideoPlan } from './rules/transcode/plan.ts'
import type { Sound } from './rules/transcode/sound-tracks.ts'

export type * from './rules/transcode/media.ts'

/**
 * The tools of the `media` pool: all ffmpeg and ffprobe runs of the platform. All paths are local.
 *
 * A call rejects with `signal.reason` if its signal aborts, with a `MediaFault` if the input can never work, and with
 * a `TransientEngineError` if a retry may work. A failed call leaves no partial output.
 *
 * - mezzanine: the upload remuxed without re-encoding into an indexed file
 * - chunk: a run of output frames that one job encodes for all renditions
 * - segment: the file that a player loads (6 s)
 * - package: a folder that a player can play
 */
export interface MediaEngine {
  /** Reads the declared contents of a file. Decodes only the first few frames. */
  probe(input: string, call: EngineCall): Promise<Probe>
  /** Remuxes an upload into `folder/mezzanine.{mp4,mov,mkv}` and counts its real contents. */
  mezzanine(input: { source: string; folder: string }, call: EngineCall): Promise<Mezzanine>
  /**
   * Joins recordings with possibly different parameters into `folder/joined.mp4` without re-encoding; returns its path.
   */
  join(input: { files: readonly string[]; folder: string }, call: EngineCall): Promise<string>
  /** Packages the mezzanine without conversion (one rendition, `source`). Only valid if `isCopyable`. */
  packageCopy(input: { mezzanine: Mezzanine; folder: string }, call: EngineCall): Promise<Package>
  /** Encodes the audio track at `place` to `folder/` + `soundFile(place)`, aligned with the first frame. */
  encodeAudio(input: AudioInput, call: EngineCall): Promise<EncodedAudio>
  /** Encodes one chunk for all renditions to `folder/` + `chunkFile(rendition.name, index)`. */
  encodeChunk(input: ChunkInput, call: EngineCall): Promise<EncodedChunk>
  /** Joins the chunks and audio in the folder `pieces` into a package in `folder`. */
  packageLadder(input: LadderInput, call: EngineCall): Promise<Package>
  /** Decodes a PNG or JPEG watermark. Throws a `MediaFault` if decoding fails. */
  checkWatermark(path: string, call: EngineCall): Promise<void>
  /**
   * Cuts audio for a speech engine: a WAV (16 kHz, mono, 16 bits) after `skip` seconds, up to `most` seconds long.
   * Unless the piece must be whole, it ends at the quietest moment near its end.
   */
  cutSpeech(input: SpeechInput, call: EngineCall): Promise<SpeechStretch>
  /** Writes a JPEG of the frame at `at` seconds, up to `lines` high. Returns false if no frame exists at this time. */
  frame(input: FrameInput, call: EngineCall): Promise<boolean>
  /**
   * Writes a JPEG of a page of an untrusted PDF, or of an untrusted image. Returns false if the page does not exist.
   */
  preview(input: PreviewInput, call: EngineCall): Promise<boolean>
  /** Copies video and audio segments into one MP4 with its index at the start. Returns the size in bytes. */
  mp4(input: Mp4Input, call: EngineCall): Promise<number>
  /** Cuts exactly the frames of a time range into `output` and encodes them. Returns the size in bytes. */
  clip(input: ClipInput, call: EngineCall): Promise<number>
  /** Writes an animated WebP of a time range. Returns the size in bytes. */
  motion(input: MotionInput, call: EngineCall): Promise<number>
  /** Packages one encoded audio track to add it to an existing package. The result has no master playlist. */
  packageSound(input: PackageSoundInput, call: EngineCall): Promise<Package>
  /**
   * Writes a JPEG of a representative frame, or of the cover of an audio file. Returns false if the file has no image.
   */
  poster(input: { source: string; probe: Probe; output: string }, call: EngineCall): Promise<boolean>
}

export interface EngineCall {
  signal: AbortSignal
  /** Receives the finished fraction, 0 to 1, up to twice per second. It never decreases. */
  onProgress?: (fraction: number) => void
  /** Timeout in milliseconds of real time. Default: generous, based on the length of the input. */
  timeout?: number
}

export interface Watermark {
  path: string
  position: 'tl' | 'tr' | 'bl' | 'br'
  /** 0.05 to 0.9. */
  opacity: number
}

export interface ChunkInput {
  mezzanine: Mezzanine
  plan: VideoPlan
  /** From 0 to `plan.chunks.count - 1`. */
  index: number
  folder: string
  watermark?: Watermark
  /**
   * Number of unfinished chunks of the video, including this chunk. While they use every slot, each chunk runs on its
   * share of the cores.
   */
  unfinished?: number
}

export interface FrameInput {
  source: string
  at: number
  lines: number
  output: string
}

/** Source of a preview. `size` is the maximum length of the longer side in pixels; `output` ends with .jpg. */
export interface PreviewInput {
  source: string
  type: PreviewType
  page: number
  size: number
  output: string
}

/** Time range in seconds after the start of the files. `picture` and the sounds can be the same file. */
export interface ClipInput {
  picture: string | null
  sounds: { path: string; language?: string | null; title?: string | null }[]
  start: number
  end: number
  output: string
}

/** Source of an animation: its start in seconds, its length, its maximum width in pixels and its frame rate. */
export interface MotionInput {
  source: string
  at: number
  seconds: number
  width: number
  fps: number
  output: string
}

export interface PackageSoundInput {
  sound: string
  name: string
  segmentSeconds: number
  seconds: number
  /** Start of a rendition of the package, whose time the track gets: initialisation file and first segment. */
  reference: string
  folder: string
}

export interface Mp4Input {
  picture: string | null
  sound: string | null
  output: string
}

/** Input of `packageLadder`. `plan` is `null` for an audio-only file. */
export interface LadderInput {
  pieces: string
  plan: VideoPlan | null
  sounds: Sound[]
  folder: string
}

export interface SpeechInput {
  sound: string
  skip: number
  most: number
  whole: boolean
  folder: string
}

export interface SpeechStretch {
  path: string
  seconds: number
  /** True if the piece is silent. Speech engines invent words for silence. */
  silent: boolean
}

export interface EncodedFile extends Cost {
  path: string
  bytes: number
  seconds: number
}

export interface AudioInput {
  mezzanine: Mezzanine
  /** Index of the audio track. Default: the first. */
  place?: number
  /** Length of the video in seconds. Default: the mezzanine's own length. */
  seconds?: number
  folder: string
}

export interface EncodedAudio extends EncodedFile {
  /** True if nothing of the track could be decoded, so that the output is silence. */
  undecodable: boolean
}

export interface EncodedChunk extends Cost {
  index: number
  frames: number
  files: { rendition: string; path: string; bytes: number }[]
}

export interface Package extends Cost {
  folder: string
  /** All files, relative to the folder. The master playlist is last and must be published last. */
  files: string[]
  bytes: number
  seconds: number
  renditions: PackagedRendition[]
}

export interface PackagedRendition {
  /** `1080p` … `360p`, `source`, or `audio`, `audio_2` …. */
  name: string
  playlist: string
  /** Width and height in pixels. 0 by 0 for audio. */
  width: number
  height: number
  /** Number of video frames. 0 for audio. */
  frames: number
  segments: number
  bytes: number
  /** Bit rate of the largest segment, and of all segments, in bits per second. */
  peakBitRate: number
  meanBitRate: number
  /** RFC 6381 codec name. */
  codec: string
  /** Audio only: language (BCP 47) and title in the upload. */
  language?: string | null
  title?: string | null
  /** Playlist with only the key frames. Only low renditions have such a playlist. */
  keys?: { playlist: string; peakBitRate: number; meanBitRate: number }
}

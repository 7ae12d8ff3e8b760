import type { PreviewType } from '../files/rules/previewable.ts'
import type { Cost, Mezzanine, Probe } from './rules/transcode/media.ts'
import type { VideoPlan } from './rules/transcode/plan.ts'
import type { Sound } from './rules/transcode/sound-tracks.ts'

export type * from './rules/transcode/media.ts'

/**
 * The tools of the `media` pool: all ffmpeg and ffprobe runs of the platform. All paths are local.
 *
 * A call rejects with `signal.reason` if its signal aborts, with a `MediaFault` if the input can never work, and with
 * an `TransientEngineError` if a retry may work. A failed call leaves no partial output.
 *
 * - mezzanine: the upload remuxed without re-encoding into an indexed file
 * - chunk: a run of output frames that one job encodes for all renditions
 * - segment: the file that a player loads (6 s)
 * - package: a folder that a player can play
 */
export interface MediaEngine {
  /** Reads the declared contents of a file. Decodes only a few first frames. */
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
  /** Decodes a PNG or JPEG watermark; throws a `MediaFault` if this fails. */
  checkWatermark(path: string, call: EngineCall): Promise<void>
  /**
   * Cuts audio for a speech engine: a WAV (16 kHz, mono, 16 bits) after `skip` seconds, up to `most` seconds long.
   * Unless it must be whole, it ends at the quietest moment near its end.
   */
  cutSpeech(input: SpeechInput, call: EngineCall): Promise<SpeechStretch>
  /** Writes a JPEG of the frame at `at` seconds, up to `lines` high; false if there is none. */
  frame(input: FrameInput, call: EngineCall): Promise<boolean>
  /** Writes a JPEG of a page of an untrusted PDF, or of an untrusted image; false if the page does not exist. */
  preview(input: PreviewInput, call: EngineCall): Promise<boolean>
  /** Copies video and audio segments into one MP4 with its index at the start; returns its bytes. */
  mp4(input: Mp4Input, call: EngineCall): Promise<number>
  /** Writes a JPEG of a representative frame (or the cover of an audio file); false if there is no image. */
  poster(input: { source: string; probe: Probe; output: string }, call: EngineCall): Promise<boolean>
}

export interface EngineCall {
  signal: AbortSignal
  /** Reports the finished fraction, 0 to 1, up to twice per second, never decreasing. */
  onProgress?: (fraction: number) => void
  /** Wall-clock limit in milliseconds. Default: generous, by the length of the input. */
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
   * Number of unfinished chunks of the video, including this one. While they keep every slot busy, each runs on its
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
  /** 0 by 0 for audio. */
  width: number
  height: number
  /** Video frames; 0 for audio. */
  frames: number
  segments: number
  bytes: number
  /** Bits per second of the largest segment, and of all. */
  peakBitRate: number
  meanBitRate: number
  /** RFC 6381 codec name. */
  codec: string
  /** Audio only: language (BCP 47) and title in the upload. */
  language?: string | null
  title?: string | null
  /** Playlist of only its key frames. Only low renditions have one. */
  keys?: { playlist: string; peakBitRate: number; meanBitRate: number }
}

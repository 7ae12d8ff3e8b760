import ffmpeg, { type AudioVideoFilter, type FfmpegCommand, type FilterSpecification } from 'fluent-ffmpeg'

/** One filter with its options, most by name. */
export type Filter = AudioVideoFilter

/** Chains of filters, for `complexFilter`. */
export type FilterGraph = FilterSpecification[]

/** What ffmpeg and ffprobe read, and the options that it is opened with. */
export interface Input {
  /** A `file:` URL, or what the input's format takes in its place. */
  source: string
  options: string[]
}

/** An input with further options before its own. */
export const withOptions = (options: string[], input: Input): Input => ({
  ...input,
  options: [...options, ...input.options],
})

/**
 * Begins an ffmpeg command line that reads the inputs. fluent-ffmpeg only builds it: its own runner would spawn ffmpeg outside
 * the sandbox, several times over to ask for its formats and codecs. Options go to the output that was named last.
 */
export function commandOf(...inputs: Input[]): FfmpegCommand {
  const command = ffmpeg()
  for (const { source, options } of inputs) {
    command.input(source)
    if (options.length > 0) command.inputOptions(...options)
  }
  return command
}

/** The arguments of a command line, as `spawn` takes them. */
export const argumentsOf = (command: FfmpegCommand): string[] => command._getArguments().map(String)

/** `-map` of a stream such as `0:a:0`; the library's own `map` puts every name in brackets, which only outputs of filters have. */
export const mapStream = (stream: string): [string, string] => ['-map', stream]

/** A chain of filters for a filter graph: from streams of inputs, or outputs of other chains, to its own outputs. */
export function chain(filters: Filter[], from: string[], ...to: string[]): FilterGraph {
  const last = filters.length - 1
  return filters.map((filter, i) => ({
    ...filter,
    inputs: i === 0 ? from : `${to[0]}_${i}`,
    outputs: i === last ? to : `${to[0]}_${i + 1}`,
  }))
}

import koffi from 'koffi'

type Handle = bigint

const gstreamer = koffi.load('libgstreamer-1.0.so.0')
const gobject = koffi.load('libgobject-2.0.so.0')
const glib = koffi.load('libglib-2.0.so.0')

const gst = {
  init: gstreamer.func('void gst_init(void *argc, void *argv)'),
  parse: gstreamer.func('uintptr_t gst_parse_launch(const char *text, _Out_ uintptr_t *error)'),
  find: gstreamer.func('uintptr_t gst_bin_get_by_name(uintptr_t bin, const char *name)'),
  pad: gstreamer.func('uintptr_t gst_element_get_static_pad(uintptr_t element, const char *name)'),
  setState: gstreamer.func('int gst_element_set_state(uintptr_t element, int state)'),
  position: gstreamer.func('int gst_element_query_position(uintptr_t element, int format, _Out_ int64_t *position)'),
  send: gstreamer.func('int gst_element_send_event(uintptr_t element, uintptr_t event)'),
  eos: gstreamer.func('uintptr_t gst_event_new_eos()'),
  bus: gstreamer.func('uintptr_t gst_element_get_bus(uintptr_t element)'),
  pop: gstreamer.func('uintptr_t gst_bus_pop_filtered(uintptr_t bus, uint32_t types)'),
  parseError: gstreamer.func(
    'void gst_message_parse_error(uintptr_t message, _Out_ uintptr_t *error, _Out_ uintptr_t *debug)',
  ),
  agreeLatency: gstreamer.func('int gst_bin_recalculate_latency(uintptr_t bin)'),
  release: gstreamer.func('void gst_mini_object_unref(uintptr_t object)'),
}
const set = {
  int: gobject.func('void g_object_set(uintptr_t object, const char *name, ...)'),
  get: gobject.func('void g_object_get(uintptr_t object, const char *name, ...)'),
}
const freeError = glib.func('void g_error_free(uintptr_t error)')
const free = glib.func('void g_free(uintptr_t memory)')

/** `GstState`. */
const [stopped, playing] = [1, 4]

/** Value of `GST_FORMAT_TIME`. */
const inTime = 3

/** `GstMessageType`. */
const [eosMessage, errorMessage, latencyMessage] = [1, 2, 1 << 19]

/** Offset in bytes of the type in `GstMessage` and of the message in `GError`, on 64-bit machines. */
const [messageType, errorText] = [64, 8]

gst.init(null, null)

export class Pipeline {
  readonly #pipeline: Handle
  readonly #bus: Handle
  readonly #known = new Map<string, Handle>()

  /** Throws if the description is invalid, for example if an element is not installed or a caps filter is wrong. */
  constructor(description: string) {
    const error: [Handle] = [0n]
    this.#pipeline = BigInt(gst.parse(description, error))
    if (error[0]) throw new Error(takeError(error[0]))
    this.#bus = BigInt(gst.bus(this.#pipeline))
  }

  play(): void {
    gst.setState(this.#pipeline, playing)
  }

  stop(): void {
    gst.setState(this.#pipeline, stopped)
  }

  /** Sends the end of the stream. `poll` returns when all data is processed. */
  finish(): void {
    gst.send(this.#pipeline, BigInt(gst.eos()))
  }

  /** Sets integer properties of an element, or of one of its pads (`element.pad`). */
  setNumbers(name: string, values: Record<string, number>): void {
    for (const [key, value] of Object.entries(values)) set.int(this.#handle(name), key, 'int', value, 'void *', null)
  }

  setFraction(name: string, key: string, value: number): void {
    set.int(this.#handle(name), key, 'double', value, 'void *', null)
  }

  setText(name: string, key: string, value: string): void {
    set.int(this.#handle(name), key, 'const char *', value, 'void *', null)
  }

  getNumber(name: string, key: string): number {
    const value = new Int32Array(1)
    set.get(this.#handle(name), key, 'int32_t *', value, 'void *', null)
    return value[0] as number
  }

  /** Returns the stream position of an element in nanoseconds. Returns undefined before its first buffer. */
  position(name: string): bigint | undefined {
    const position: [bigint | number] = [0]
    return gst.position(this.#handle(name), inTime, position) ? BigInt(position[0]) : undefined
  }

  poll(): { error?: string } | undefined {
    for (;;) {
      const message = BigInt(gst.pop(this.#bus, eosMessage | errorMessage | latencyMessage))
      if (!message) return undefined
      try {
        const type = koffi.decode(message, messageType, 'uint32_t')
        if (type === eosMessage) return {}
        if (type === errorMessage) return { error: errorOf(message) }
        // The latency of an element has changed. The application must distribute the new latency.
        gst.agreeLatency(this.#pipeline)
      } finally {
        gst.release(message)
      }
    }
  }

  #handle(name: string): Handle {
    const known = this.#known.get(name)
    if (known) return known
    const [element = '', pad] = name.split('.')
    const found: Handle = pad ? BigInt(gst.pad(this.#handle(element), pad)) : BigInt(gst.find(this.#pipeline, element))
    if (!found) throw new Error(`The pipeline has no element ${name}.`)
    this.#known.set(name, found)
    return found
  }
}

function errorOf(message: Handle): string {
  const [error, debug]: [[Handle], [Handle]] = [[0n], [0n]]
  gst.parseError(message, error, debug)
  if (debug[0]) free(debug[0])
  return takeError(error[0])
}

function takeError(error: Handle): string {
  const text: string = koffi.decode(error, errorText, 'const char *')
  freeError(error)
  return text
}

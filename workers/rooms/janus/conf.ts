export interface JanusFacts {
  libraries: string
  folder: string
  socket: string
  apiSecret: string
  adminKey: string
  icePorts: string
  interfaces: readonly string[]
  publicAddress: string | undefined
}

/**
 * Plugins and transports that are not loaded: all plugins except VideoRoom and NoSIP, and all transports except
 * WebSockets.
 */
const otherPlugins = 'audiobridge duktape echotest lua recordplay sip streaming textroom videocall voicemail'
const otherTransports = 'http mqtt nanomsg pfunix rabbitmq'

const disabled = (names: string) =>
  names
    .split(' ')
    .map((name) => `libjanus_${name}.so`)
    .join(',')

const noMediaSeconds = 2

/** Time in seconds after which Janus deletes a session without requests. */
const sessionSeconds = 30

const text = (value: string) => JSON.stringify(value)

export function janusConf(facts: JanusFacts): Record<string, string> {
  const { libraries, folder, socket, apiSecret, adminKey, icePorts, interfaces, publicAddress } = facts
  const nat = [
    interfaces.length > 0 && `ice_enforce_list = ${text(interfaces.join(','))}`,
    publicAddress && `nat_1_1_mapping = ${text(publicAddress)}`,
  ]
  return {
    'janus.jcfg': `
general: {
  configs_folder = ${text(folder)}
  plugins_folder = ${text(`${libraries}/plugins`)}
  transports_folder = ${text(`${libraries}/transports`)}
  events_folder = ${text(`${libraries}/events`)}
  loggers_folder = ${text(`${libraries}/loggers`)}
  debug_level = 2
  debug_colors = false
  api_secret = ${text(apiSecret)}
  admin_secret = ${text(adminKey)}
  session_timeout = ${sessionSeconds}
  hide_dependencies = true
}
media: {
  rtp_port_range = ${text(icePorts)}
  no_media_timer = ${noMediaSeconds}
}
nat: {
  ${nat.filter(Boolean).join('\n  ')}
}
plugins: { disable = ${text(disabled(otherPlugins))} }
transports: { disable = ${text(disabled(otherTransports))} }
loggers: { disable = "libjanus_jsonlog.so" }
events: { broadcast = false }
`,
    // Requires both the admin key and the room key, so that one room cannot use the secret of another.
    'janus.plugin.videoroom.jcfg': `
general: {
  admin_key = ${text(adminKey)}
  lock_rtp_forward = true
  string_ids = true
}
`,
    'janus.plugin.nosip.jcfg': `
general: {
  local_ip = "127.0.0.1"
}
`,
    'janus.transport.websockets.jcfg': `
general: {
  json = "compact"
  ws = true
  ws_unix = ${text(socket)}
  wss = false
}
admin: { admin_ws = false }
`,
  }
}

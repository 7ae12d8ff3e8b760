/** A valid target for forwarded broadcasts. */
export const goodTarget = { name: 'Elsewhere', url: 'rtmp://live.example.com/app', streamKey: 'key?with=query' }

const urls: unknown[] = [
  ...['', 'x', 'live.example.com/app', 'http://live.example.com/app', 'rtmp:', 'rtmp://', 'rtmp:///app', 'rtmp://host'],
  ...[
    'rtmp://host/',
    'rtmp://host//',
    'rtmp://u:p@host/app',
    'rtmp://u@host/app',
    'rtmp://host/app?key=a',
    'rtmp://host/app#a',
  ],
  ...[
    'rtmp://host:0/app',
    'rtmp://host:99999/app',
    'rtmp://host:x/app',
    'rtmp://10.0.0.1/app',
    'rtmp://192.168.1.1:1935/app',
  ],
  ...[
    'rtmp://169.254.169.254/latest',
    'rtmp://[::1]/app',
    'rtmp://[fd00::1]/app',
    'rtmp://0x0a000001/app',
    'rtmp://2130706434/app',
  ],
  ...[
    'rtmp://[::ffff:10.0.0.1]/app',
    'rtmp://0/app',
    'rtmps://10.1.1.1/app',
    'rtmp://8.8.8.8:22/app',
    'rtmp://8.8.8.8:25/app',
  ],
  ...[
    `rtmp://host/${'a'.repeat(1000)}`,
    `rtmp://${'a'.repeat(300)}/app`,
    'rtmp://ho st/app',
    'file:///etc/passwd',
    'rtmp://host%00/app',
  ],
  ...['srt://host:9000', 'rtmpt://host/app', 7, null, {}, ['rtmp://host/app'], true],
]
const keys: unknown[] = ['', 'a b', 'a\nb', 'ä', 'a'.repeat(501), 7, null, {}, '\u0000']
/** Invalid bodies, each with the field in the error. */
export const badTargets: [object, string][] = [
  ...urls.map((url): [object, string] => [{ ...goodTarget, url }, 'url']),
  ...keys.map((streamKey): [object, string] => [{ ...goodTarget, streamKey }, 'streamKey']),
  ...['', ' ', 'a'.repeat(201), 7, null].map((name): [object, string] => [{ ...goodTarget, name }, 'name']),
  [{ ...goodTarget, enabled: 'yes' }, 'enabled'],
  [{ ...goodTarget, more: 1 }, 'more'],
]

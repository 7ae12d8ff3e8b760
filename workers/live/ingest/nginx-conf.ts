/** What the configuration of nginx depends on. */
export interface NginxFacts {
  /** The module's file. */
  module: string
  /** nginx's own folder, writable by its user. */
  folder: string
  host: string
  port: number
  /** Where hooks are asked, without a slash at its end. */
  hooks: string
  /** Unix socket by which publishers are dropped. */
  control: string
}

/** Largest RTMP message, in bytes: a key frame of 4K at 60 Mb/s is under 2 MiB. */
const largestMessage = '4M'

/** Publishers and packagers that one nginx takes. */
const connections = 4_096

/** Packagers and the SRT listeners come by loopback, wherever else encoders may. */
function listens(host: string, port: number): string {
  const own = host.includes(':') ? `[${host}]` : host
  const loopback = ['127.0.0.1', 'localhost', '0.0.0.0'].includes(host) ? [] : ['127.0.0.1']
  return [own, ...loopback].map((address) => `    listen ${address}:${port};`).join('\n')
}

/**
 * The configuration of nginx's RTMP module: one process, which its supervisor starts again, as a master of its own would leave its
 * workers behind when it is killed. Keys are in the names of streams, so nothing below `crit` is logged.
 */
export const nginxConf = ({ module, folder, host, port, hooks, control }: NginxFacts): string => `
load_module ${module};
daemon off;
master_process off;
worker_rlimit_nofile ${2 * connections + 256};
pid ${folder}/nginx.pid;
error_log stderr crit;
events { worker_connections ${connections}; }
rtmp {
  access_log off;
  server {
${listens(host, port)}
    chunk_size 4096;
    max_message ${largestMessage};
    max_streams 32;
    timeout 10s;
    ping 10s;
    ping_timeout 5s;
    notify_method post;
    application live {
      live on;
      # The packager plays a stream before its first frame is there, so that none is lost.
      idle_streams on;
      # It is told by NetStream.Play.Stop when its publisher has gone, behind the last frame.
      play_restart on;
      drop_idle_publisher 6s;
      wait_key on;
      wait_video off;
      # The codec that an encoder announces, as it says it.
      meta copy;
      allow play 127.0.0.1;
      deny play all;
      on_publish ${hooks}/publish;
      on_publish_done ${hooks}/done;
      on_play ${hooks}/play;
    }
  }
}
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  server {
    listen unix:${control};
    location /control { rtmp_control all; }
    location /stat { rtmp_stat all; }
  }
}
`

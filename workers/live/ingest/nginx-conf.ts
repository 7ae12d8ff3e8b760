export interface NginxFacts {
  module: string
  folder: string
  host: string
  port: number
  /** URL of the hooks, without a trailing slash. */
  hooks: string
  control: string
}

/** Maximum size of an RTMP message. A key frame of 4K video at 60 Mb/s is smaller than 2 MiB. */
const largestMessage = '4M'

const connections = 4_096

/** Returns the listen directives. Also listens on loopback, which packagers and SRT listeners use. */
function listens(host: string, port: number): string {
  const own = host.includes(':') ? `[${host}]` : host
  const loopback = ['127.0.0.1', 'localhost', '0.0.0.0'].includes(host) ? [] : ['127.0.0.1']
  return [own, ...loopback].map((address) => `    listen ${address}:${port};`).join('\n')
}

/**
 * Returns the configuration for the RTMP module of nginx. nginx runs as one process, because a killed master process
 * leaves its workers running. The supervisor restarts it. Stream names contain keys, so only messages of level `crit`
 * and above are logged.
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

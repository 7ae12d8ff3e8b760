import { nameOf, selectorOf } from './pod.ts'

const component = 'ingress'

/** Names of an installation, which its overlay puts its own in place of. */
const hosts = ['api.example.com', 'app.example.com']

/**
 * The way in by HAProxy's ingress controller (`haproxy.org`). A silent answer may take longer than its 50 s: a language model has 85 s. An event
 * stream is never silent for long, as each gets a comment every 15 s. HAProxy limits no body: each route has its own limit and refuses
 * what is larger. Any pod answers any request, so that no cookie ties a client to one; who has the fewest open takes the next, as streams last.
 */
export const haproxyIngress = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: {
    name: nameOf(component),
    labels: selectorOf(component),
    annotations: {
      'haproxy.org/timeout-server': '120s',
      'haproxy.org/load-balance': 'leastconn',
      // Before a pod ends it says so here, while it goes on answering.
      'haproxy.org/check-http': '/readyz',
      'haproxy.org/check-interval': '2s',
      'haproxy.org/forwarded-for': 'true',
      'haproxy.org/ssl-redirect': 'true',
    },
  },
  spec: {
    ingressClassName: 'haproxy',
    tls: [{ hosts, secretName: 'millrace-tls' }],
    rules: hosts.map((host) => ({
      host,
      http: {
        paths: [
          {
            path: '/',
            pathType: 'Prefix',
            backend: { service: { name: nameOf(component), port: { name: 'http' } } },
          },
        ],
      },
    })),
  },
}

/** What HAProxy has for all of its clients is the controller's: its ConfigMap, by the name that its chart gives it. */
export const haproxySettings = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'haproxy-kubernetes-ingress', namespace: 'haproxy-controller' },
  data: {
    'timeout-client': '120s',
    'timeout-tunnel': '1h',
    // Streams of a process that a reload has replaced are cut off then, and come back.
    'hard-stop-after': '10m',
  },
}

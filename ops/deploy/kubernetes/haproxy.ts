import { objectName, selectorOf } from './pod.ts'

const component = 'ingress'

/** Example names, which an overlay replaces. */
const hosts = ['api.example.com', 'app.example.com']

/**
 * Ingress for HAProxy's ingress controller (`haproxy.org`). A response can take longer than HAProxy's default of 50 s,
 * because a language model has 85 s. Event streams send a comment every 15 s. HAProxy does not limit bodies, because
 * each route has its own limit. Any pod can answer any request, so no cookie binds a client to a pod. The pod with the
 * fewest open connections gets the next request, because streams last long.
 */
export const haproxyIngress = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: {
    name: objectName(component),
    labels: selectorOf(component),
    annotations: {
      'haproxy.org/timeout-server': '120s',
      'haproxy.org/load-balance': 'leastconn',
      // A pod that still serves requests reports here that it will exit.
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
            backend: { service: { name: objectName(component), port: { name: 'http' } } },
          },
        ],
      },
    })),
  },
}

/** Global settings of HAProxy are in the controller's ConfigMap, named as in its chart. */
export const haproxySettings = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'haproxy-kubernetes-ingress', namespace: 'haproxy-controller' },
  data: {
    'timeout-client': '120s',
    'timeout-tunnel': '1h',
    // Streams of a process that was replaced by a reload are closed after this time, and clients reconnect.
    'hard-stop-after': '10m',
  },
}

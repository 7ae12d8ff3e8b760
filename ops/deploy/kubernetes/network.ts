import { ingressPorts } from './ingress.ts'
import { metricsPort, objectName, partOf, selectorOf } from './pod.ts'
import { type Workload, workloads } from './workloads.ts'

/** Private networks. Requests to customers' URLs cannot reach them. */
const privateNetworks = [
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
]
const privateNetworks6 = ['fc00::/7', 'fe80::/10', '::1/128', '::ffff:0:0/96', '64:ff9b::/96']

const internet = [
  { ipBlock: { cidr: '0.0.0.0/0', except: privateNetworks } },
  { ipBlock: { cidr: '::/0', except: privateNetworks6 } },
]

const tcp = (...ports: number[]) => ports.map((port) => ({ protocol: 'TCP', port }))
const dns = ['UDP', 'TCP'].map((protocol) => ({ protocol, port: 53 }))

const policy = (name: string, podSelector: object, spec: { ingress?: object[]; egress?: object[] }) => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name, labels: partOf },
  spec: {
    podSelector,
    policyTypes: [...(spec.ingress ? ['Ingress'] : []), ...(spec.egress ? ['Egress'] : [])],
    ...spec,
  },
})

const all = { matchLabels: partOf }
const of = (component: string) => ({ matchLabels: selectorOf(component) })

/** Denies all traffic of pods that is not listed here. */
export const networkPolicies: object[] = [
  policy(objectName('nothing-else'), all, { ingress: [], egress: [] }),
  policy(objectName('names'), all, {
    egress: [{ to: [{ namespaceSelector: {}, podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } } }], ports: dns }],
  }),
  // Allows Postgres or its pooler, and the object store, in the cluster or in private networks. For a store on the
  // Internet, an overlay adds its addresses.
  policy(objectName('database-and-storage'), all, {
    egress: [
      {
        to: [...privateNetworks.filter((cidr) => /^1[079]/.test(cidr)).map((cidr) => ({ ipBlock: { cidr } }))],
        ports: tcp(5432, 6432, 443, 8081, 9000),
      },
    ],
  }),
  policy(objectName('metrics'), all, {
    ingress: [
      {
        from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }],
        ports: tcp(metricsPort),
      },
    ],
  }),
  policy(objectName('ingress'), of('ingress'), {
    ingress: [{ ports: ingressPorts.map(({ name }) => ({ protocol: 'TCP', port: name })) }],
    egress: [
      // Customers' domains are verified at their own name servers.
      { to: internet, ports: dns },
      ...workersInside().map(([component, ports]) => ({ to: [{ podSelector: of(component) }], ports: tcp(...ports) })),
    ],
  }),
  ...Object.entries(workloads).flatMap(([component, workload]) => policiesOf(component, workload)),
]

function workersInside(): [string, number[]][] {
  return Object.entries(workloads).flatMap(([component, { ports = [] }]): [string, number[]][] => {
    const inside = ports.filter((port) => port.inside).map(({ port }) => port)
    return inside.length > 0 ? [[component, inside]] : []
  })
}

function policiesOf(component: string, { internet: reach, names, reaches = {}, ports = [] }: Workload): object[] {
  const egress = [
    ...(reach === 'none' ? [] : [{ to: internet, ...(reach === 'any' ? {} : { ports: tcp(...reach) }) }]),
    ...(names && reach !== 'any' ? [{ to: internet, ports: dns }] : []),
    ...Object.entries(reaches).map(([other, at]) => ({ to: [{ podSelector: of(other) }], ports: tcp(...at) })),
  ]
  const entry = (inside: boolean) =>
    ports.filter((port) => (port.inside ?? false) === inside).map(({ port, protocol = 'TCP' }) => ({ protocol, port }))
  const ingress = [
    ...(entry(false).length > 0 ? [{ ports: entry(false) }] : []),
    ...(entry(true).length > 0 ? [{ from: [{ podSelector: of('ingress') }], ports: entry(true) }] : []),
  ]
  if (egress.length === 0 && ingress.length === 0) return []
  return [
    policy(objectName(component), of(component), {
      ...(ingress.length > 0 && { ingress }),
      ...(egress.length > 0 && { egress }),
    }),
  ]
}

import { describe, expect, it } from 'vitest'
import { addressKind, isWithinReach, type AddressKind } from './reach.ts'

const HOSTS: Record<AddressKind, readonly string[]> = {
  loopback: [
    ...['localhost', 'LOCALHOST', 'localhost.', 'foo.localhost', 'foo.LocalHost.', 'localhost..'],
    ...['127.0.0.1', '127.1', '0x7f.1', '2130706433', '127.255.255.254', '127.0.0.1.', '0177.0.0.1'],
    ...['::1', '[::1]', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1', '[::ffff:7f00:1]', '::1%lo'],
  ],
  private: [
    ...['0.0.0.0', '0', '0.1.2.3', '10.0.0.1', '100.64.0.1', '100.127.255.255', '169.254.169.254'],
    ...['172.16.0.1', '172.31.255.255', '192.0.0.8', '192.0.2.1', '192.168.1.1', '192.88.99.1', '198.18.0.1'],
    ...[
      '198.19.255.255',
      '198.51.100.1',
      '203.0.113.9',
      '224.0.0.1',
      '239.1.1.1',
      '240.0.0.1',
      '255.255.255.255',
    ],
    ...[
      '::',
      '[::]',
      'fc00::1',
      'fd12:3456::1',
      'fe80::1',
      'fe80::1%eth0',
      '[fe80::1%25eth0]',
      'febf::1',
      'fec0::1',
    ],
    ...['ff02::1', '100::1', '::127.0.0.1', '::8.8.8.8', '::ffff:10.0.0.1', '::ffff:0:127.0.0.1'],
    ...['64:ff9b::7f00:1', '64:ff9b::10.0.0.1', '64:ff9b:1::1', '2002:7f00:1::', '2002:c0a8:101::1'],
    ...['2001:0:4136:e378:8000:63bf:3fff:fdd2', '2001:db8::1', '3fff::1', '5f00::1', '4000::1'],
    ...['printer.local', 'Printer.LOCAL.', 'metadata.google.internal', 'nas.home.arpa', 'internal'],
  ],
  public: [
    ...[
      '8.8.8.8',
      '1.1.1.1',
      '100.63.255.255',
      '100.128.0.1',
      '172.15.0.1',
      '172.32.0.1',
      '192.0.1.1',
      '198.20.0.1',
    ],
    ...[
      '126.255.255.255',
      '128.0.0.1',
      '223.255.255.255',
      '2606:4700::1111',
      '[2a00:1450::1]',
      '64:ff9b::8.8.8.8',
    ],
    ...['2002:808:808::1', '::ffff:8.8.8.8', '2001:4860:4860::8888'],
  ],
  name: [
    ...['example.com', 'localhost.example.com', 'notlocalhost', 'local.example', 'mylocal', 'keycloak', ''],
    ...['a b', '[', '::g', '1.2.3.4.5', '256.1.1.1', 'xn--n3h.example', '127.0.0.1.nip.io'],
  ],
}

describe('addressKind', () => {
  it.each(Object.entries(HOSTS))('%s', (kind, hosts) => {
    for (const host of hosts) expect(`${host} ${addressKind(host)}`).toBe(`${host} ${kind}`)
  })
})

it.each(['0.0.0.0', '0', '[::]', '::', '[::ffff:0.0.0.0]', '0x0.0', '127.0.0.1', 'localhost.'])(
  '%s is this machine: no stranger in the network may send us there',
  (host) => {
    const from = (url: string) => ({ serverUrl: new URL(url), trustedHosts: [] })
    expect(isWithinReach(host, from('http://10.0.0.5/'))).toBe(false)
    expect(isWithinReach(host, from('https://example.com/'))).toBe(false)
    expect(isWithinReach(host, from('http://127.0.0.1:1/'))).toBe(true)
  },
)

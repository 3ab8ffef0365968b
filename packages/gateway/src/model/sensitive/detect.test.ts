import { describe, expect, it } from 'vitest'
import { detectorNames, detectorsFor, replaceFound } from './index.ts'

function shown(name: string, text: string, field = ''): string {
  return detectorsFor([name])
    .filter((detector) => detector.mayFind(text))
    .reduce((left, detector) => replaceFound(left, detector, field, () => `<${detector.name}>`), text)
}

describe('detectors', () => {
  it.each<[string, string, string]>([
    ['email', 'ask ann.smith+x@mail.example.co.uk, please', 'ask <email>, please'],
    ['email', 'mailto:jörg@bücher.example', 'mailto:<email>'],
    ['email', '"ann smith"@example.org and a@[10.0.0.1]', '<email> and <email>'],
    ['email', 'ann@a.example|bob@a.example/eve@a.example', '<email>|<email>/<email>'],
    [
      'email',
      `https://a.example/${'long/'.repeat(20)}?to=ann@a.example&x`,
      `https://a.example/${'long/'.repeat(20)}?to=<email>&x`,
    ],
    ['email', `${'a'.repeat(70)}@a.example`, '<email>'],
    ['email', 'a/b=c!d@a.example and jo\u0308rg@a.example', '<email> and <email>'],
    ['phone', 'id,212-555-0147,+1-212-555-0148,x', 'id,<phone>,<phone>,x'],
    ['phone', '_+1-212-555-0148_', '_<phone>_'],
    ['us-ssn', 'ssn-078-05-1120, 078-05-1120-x', 'ssn-<us-ssn>, <us-ssn>-x'],
    ['uk-nino', 'id_AB123456C_', 'id_<uk-nino>_'],
    ['card', 'number=4111+1111+1111+1111&x=1', 'number=<card>&x=1'],
    ['jwt', `token_${'eyJhbGciOiJIUzI1NiJ9'}.eyJzdWIiOiIxIn0.c2ln`, 'token_<jwt>'],
    ['phone', 'call +49 (0)30 901820-0 today', 'call <phone> today'],
    ['phone', '(415) 555-2671 or 415-555-2671', '<phone> or <phone>'],
    ['phone', 'Tel.: 030 90 18 20', 'Tel.: <phone>'],
    ['card', '4111 1111 1111 1111 5500 0000 0000 0004', '<card> <card>'],
    ['card', '3782 822463 10005 and 41111111 11111111', '<card> and <card>'],
    ['phone', '212 555-0147 or 212.555.0147', '<phone> or <phone>'],
    ['card', '4111111111111111 123 12/27', '<card> 123 12/27'],
    ['card', 'no 1234, 3782-822463-10005.', 'no 1234, <card>.'],
    ['card', '17 4111-1111-1111-1111', '17 <card>'],
    ['card', 'Visa: 4222222222222, or as cc=4222222222222', 'Visa: <card>, or as cc=<card>'],
    ['card', '4111  1111  1111  1111 or 4111 -1111 -1111 -1111', '<card> or <card>'],
    ['email', 'root@build_host.example.com', '<email>'],
    ['us-ssn', '078.05.1120', '<us-ssn>'],
    ['iban', 'ref AB12 iban DE89 3704 0044 0532 0130 00 thanks', 'ref AB12 iban <iban> thanks'],
    ['iban', 'gb82west12345698765432', '<iban>'],
    ['us-ssn', '078-05-1120', '<us-ssn>'],
    ['us-ssn', 'SSN 078051120', 'SSN <us-ssn>'],
    ['uk-nino', 'AB 12 34 56 C', '<uk-nino>'],
    ['de-tax-id', 'Steuer-ID: 86095742719', 'Steuer-ID: <de-tax-id>'],
    ['fr-nir', '2 55 08 14 168 025 38', '<fr-nir>'],
    ['es-dni', '12345678Z and X1234567L', '<es-dni> and <es-dni>'],
    ['it-codice-fiscale', 'RSSMRA85T10A562S', '<it-codice-fiscale>'],
    ['nl-bsn', 'BSN 111222333', 'BSN <nl-bsn>'],
    ['be-national-number', '85.07.30-033.28', '<be-national-number>'],
    ['pl-pesel', 'PESEL 44051401359', 'PESEL <pl-pesel>'],
    ['se-personnummer', '19811218-9876', '<se-personnummer>'],
    ['ch-ahv', '756.9217.0769.85', '<ch-ahv>'],
    ['ca-sin', '130 692 544', '<ca-sin>'],
    ['br-cpf', '390.533.447-05', '<br-cpf>'],
    ['in-aadhaar', '2341 2341 2346', '<in-aadhaar>'],
    ['in-pan', 'ABCPE1234F', '<in-pan>'],
    ['cn-resident-id', '11010519491231002X', '<cn-resident-id>'],
    ['kr-rrn', '900101-1234567', '<kr-rrn>'],
    ['sg-nric', 'S1234567D', '<sg-nric>'],
    ['au-tfn', 'TFN: 876 543 210', 'TFN: <au-tfn>'],
    ['jwt', `is ${'eyJhbGciOiJIUzI1NiJ9'}.eyJzdWIiOiIxIn0.c2ln`, 'is <jwt>'],
    ['vendor-key', `ghp_${'a1B2'.repeat(9)} AKIA${'ABCD'.repeat(4)}`, '<vendor-key> <vendor-key>'],
    [
      'vendor-key',
      'aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
      'aws_secret_access_key = <vendor-key>',
    ],
    [
      'vendor-key',
      `EndpointSuffix=x;AccountKey=${'aB3/'.repeat(21)}aB==;x`,
      'EndpointSuffix=x;<vendor-key>;x',
    ],
    [
      'vendor-key',
      'https://hooks.slack.com/services/T00000000/B00000000/abcdefghijklmnopqrstuvwx',
      'https://<vendor-key>',
    ],
    [
      'private-key',
      '-----BEGIN EC PRIVATE KEY-----\nMHcCAQEE\n-----END EC PRIVATE KEY-----.',
      '<private-key>.',
    ],
    ['high-entropy', 'key x9Kq2LmP7vRt4WzB8nYc5DfG end', 'key <high-entropy> end'],
  ])('%s finds %j', (name, text, wanted) => {
    expect(shown(name, text)).toBe(wanted)
  })

  it('reads the name of a field as the words before a value', () => {
    expect(shown('us-ssn', '078051120', 'ssn')).toBe('<us-ssn>')
    expect(shown('phone', '0309018200', 'mobile')).toBe('<phone>')
    expect(shown('card', '4222222222222', 'cardNumber')).toBe('<card>')
    expect(shown('card', '4222222222222', 'gtin')).toBe('4222222222222')
    expect(shown('us-ssn', '078051120', 'order')).toBe('078051120')
    const secret = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'
    expect(shown('vendor-key', secret, 'SecretAccessKey')).toBe('<vendor-key>')
    expect(shown('vendor-key', secret, 'digest')).toBe(secret)
  })

  it.each([
    'Version 1.2.3, build 20240115.1, at 2024-01-15T10:20:30.123Z',
    'commit 9fceb02d0ae598e95dc970b74767f19372d61af8 in 7f3c2a10-4b6d-4e2a-9c1f-0a1b2c3d4e5f',
    'barcodes 4006381333931, 4902778001226, 4012345678901 and 4222222222222 of a company',
    'order 1700000000000 costs 1,234.56 EUR, item 4111111111111112',
    'icon@2x.png from git@host.example:team/repository.git, package@1.2.3 and @scope/name',
    'packages/gateway/src/chain/results/detect/index.ts:120:45',
    'https://example.com/docs/2024/01/15/a-long-title-of-a-page?id=12345678',
    'GET /items/77073237?page=40 200 73042 602ms, or 200 181 220ms',
    '465994.0073785811 and 0.17792924426631873 465994.0073785811',
    'a total of 1 130 692 544, and Clause 252.227-7013',
    'lat 52.520008, lon 13.404954; 10.0.0.1:8080; 192.168.100.200',
    'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU= is the hash of nothing',
    'The quick brown fox jumps over 13 lazy dogs in 2024.',
    'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
  ])('find nothing in %j', (text) => {
    const found = detectorNames.filter((name) => name !== 'high-entropy' && shown(name, text) !== text)
    expect(found).toEqual([])
  })

  it('take linear time', () => {
    const names = detectorNames
    for (const piece of [
      '1 ',
      'a@',
      '1-',
      'a.',
      'DE89 ',
      '-----BEGIN PRIVATE KEY-----',
      'eyJa.',
      'Ab1',
      '+1 (',
      'x@a.',
      'x',
      'x|',
    ]) {
      const long = `${piece.repeat(20_000)} @`
      const start = performance.now()
      for (const name of names) shown(name, long)
      expect.soft(performance.now() - start, piece).toBeLessThan(5000)
    }
  })
})

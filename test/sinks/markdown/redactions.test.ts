import { describe, expect, it } from 'vitest'
import { redactAll, redactEmails, redactHomePaths, redactKeys } from '../../../src/entries/markdown.ts'
import { depth } from '../../depth.ts'

const run = (length: number) => 'a1B2'.repeat(length).slice(0, length)

describe('redactHomePaths', () => {
  it.each([
    ['/home/joe/x', '~/x'],
    ['HOME=/Users/joe', 'HOME=~'],
    ['C:\\Users\\joe\\x', '~\\x'],
    ['"C:\\\\Users\\\\joe\\\\x"', '"~\\\\x"'],
    ['C:\\Users\\Joe Doe\\x', '~\\x'],
    ['/mnt/c/Users/joe/x', '~/x'],
    ['-I/home/joe/include', '-I~/include'],
    ['a\\n/home/joe/b', 'a\\n~/b'],
    ['/root/.claude/projects/-home-joe-app', '~/.claude/projects/-~-app'],
    ['in /root.', 'in ~.'],
    ['/rootless', '/rootless'],
    ['src/root/x', 'src/root/x'],
    ['-Users-zoe-proj', '-~-proj'],
    ['cd "-home-zoe-proj"', 'cd "-~-proj"'],
    ['my-home-page', 'my-home-page'],
    ['src/home/page.ts', 'src/home/page.ts'],
    ['see /home', 'see /home'],
  ])('makes of %s %s', (text, redacted) => {
    expect(redactHomePaths(text)).toBe(redacted)
  })
})

describe('redactEmails', () => {
  it.each([
    ['Joe <joe.doe+x@mail.example.com>, ok', 'Joe <[email]>, ok'],
    ['react@19.3.1', 'react@19.3.1'],
    ['@types/node', '@types/node'],
  ])('makes of %s %s', (text, redacted) => {
    expect(redactEmails(text)).toBe(redacted)
  })
})

describe('redactKeys', () => {
  it.each([
    `sk-${run(40)}`,
    `sk-ant-api03-${run(60)}_-${run(9)}`,
    `ghp_${run(36)}`,
    `github_pat_${run(22)}_${run(59)}`,
    `AKIA${'ABCD2345'.repeat(2)}`,
    `AIza${run(35)}`,
    `xoxb-${run(12)}-${run(24)}`,
    `xai-${run(80)}`,
    `gsk_${run(52)}`,
    `ya29.${run(60)}`,
    `SG.${run(22)}.${run(43)}`,
    `whsec_${run(32)}`,
    `GOCSPX-${run(28)}`,
    `eyJ${run(20)}.eyJ${run(30)}.${run(43)}`,
    `-----BEGIN RSA PRIVATE KEY-----\n${run(64)}\n${run(64)}\n-----END RSA PRIVATE KEY-----`,
    `-----BEGIN PRIVATE KEY-----\n${run(64)}\n`,
  ])('finds %s', (key) => {
    expect(redactKeys(`a ${key}`).trim()).toBe('a [key]')
    expect(redactKeys(`"${key}\\n"`)).not.toContain(run(9))
    expect(redactKeys(`a\\n${key}`)).not.toContain(run(9))
  })

  it.each([
    ['Authorization: Bearer abc.def-123', 'Authorization: Bearer [key]'],
    ['DB_PASSWORD=hunter2 x', 'DB_PASSWORD=[secret] x'],
    ['{"access_token": "a b", "n": 1}', '{"access_token": "[secret]", "n": 1}'],
    ['{\\"token\\": \\"abc\\"}', '{\\"token\\": \\"[secret]\\"}'],
    ['?token=abc&x=1', '?token=[secret]&x=1'],
    ['--password abc', '--password [secret]'],
    ['postgres://joe:abc@host/db', 'postgres://joe:[secret]@host/db'],
    ['postgres://user:pa/ss@host', 'postgres://user:[secret]@host'],
    ['http://localhost:3000/@scope/x', 'http://localhost:3000/@scope/x'],
    ['postgres://u:p@host/db?mail=x@y', 'postgres://u:[secret]@host/db?mail=x@y'],
    ['Authorization: token abcd1234efgh', 'Authorization: token [key]'],
    ['{\\"authorization\\": \\"token abcd1234\\"}', '{\\"authorization\\": \\"token [key]\\"}'],
    ['a token authorizes it', 'a token authorizes it'],
    ['https://hooks.slack.com/services/T01/B02/abcDEF12 x', 'https://hooks.slack.com/services/[key] x'],
    [
      'https:\\/\\/hooks.slack.com\\/services\\/T01\\/B02\\/abcd',
      'https:\\/\\/hooks.slack.com\\/services\\/[key]',
    ],
    ['token: string', 'token: string'],
    ['password=$DB_PASSWORD', 'password=$DB_PASSWORD'],
    ['tokens: 1200', 'tokens: 1200'],
    ['task-management-system-of-2024', 'task-management-system-of-2024'],
    ['class="sk-loading-spinner-large"', 'class="sk-loading-spinner-large"'],
    ["if (text.includes('-----BEGIN PRIVATE KEY-----')) go()", "if (text.includes('[key]')) go()"],
  ])('makes of %s %s', (text, redacted) => {
    expect(redactKeys(text)).toBe(redacted)
  })
})

describe('redactAll', () => {
  it('applies all', () => {
    expect(redactAll('/home/joe: joe@x.org password=a')).toBe('~: [email] password=[secret]')
  })

  // An expression that tries each place again would take hours.
  it.each([
    ...[
      '/home/',
      '/Users/a',
      'C:\\Users\\a ',
      'a',
      'a@',
      'a@a.',
      '.a',
      '@',
      'a@a.a1',
      '-',
      ' ',
      '\\n',
      '%20',
      '\\"',
      '/-home-',
    ],
    ...[
      'sk-',
      'sk-a',
      '-sk-',
      'ghp_',
      'github_pat_',
      'AKIA',
      'AIza',
      'xoxb-',
      'eyJ',
      'eyJaaaaaaa.',
      'eyJaaaaaa.aaaaaa',
    ],
    ...[
      'Bearer ',
      'Bearer        ',
      'Basic\t',
      'password',
      'password=',
      'password="',
      "token='",
      'token ',
      '--token ',
      '://',
      '://a:',
      '://a:a/',
      'Authorization: token ',
      'hooks.slack.com/services/',
      'hooks.slack.com/services/\\\\',
    ],
    ...[
      '-----BEGIN PRIVATE KEY-----',
      '-----BEGIN PRIVATE KEY-----(',
      '-----BEGIN A ',
      '-----END ',
      '-----END PRIVATE KEY-----',
    ],
  ])('takes a long run of %j', (repeated) => {
    const text = repeated.repeat(depth({ few: 60_000, all: 400_000 }) / repeated.length)
    expect(redactAll(`${text}\n!`).endsWith('\n!')).toBe(true)
  })
})

it.each([
  ['{"password":"ab\\"cd-rest"}', '{"password":"[secret]"}'],
  ['postgres://u:p@ss@host/db', 'postgres://u:[secret]@host/db'],
  ['--password "my pass" x', '--password [secret] x'],
])('hides a whole secret with marks in it: %s', (text, hidden) => {
  expect(redactAll(text)).toBe(hidden)
})

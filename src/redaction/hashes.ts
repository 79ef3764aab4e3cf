import { KEY } from './marks.ts'

const DOLLAR = String.raw`\\{0,7}\$`
const CRYPT = '[./A-Za-z0-9]'

/** The forms of stored passwords: of `crypt`, of frameworks, of databases and of Windows. Somebody can try passwords against them. */
const FORMS: readonly string[] = [
  // `/etc/shadow` and `htpasswd`: MD5, SHA, bcrypt and yescrypt
  `${DOLLAR}(?:1|apr1)${DOLLAR}${CRYPT}{1,8}${DOLLAR}${CRYPT}{22}`,
  `${DOLLAR}[56]${DOLLAR}(?:rounds=\\d{1,9}${DOLLAR})?${CRYPT}{1,16}${DOLLAR}${CRYPT}{43,86}`,
  `${DOLLAR}2[abxy]?${DOLLAR}\\d\\d${DOLLAR}${CRYPT}{53}`,
  `${DOLLAR}(?:7|g?y)${DOLLAR}${CRYPT}{1,20}${DOLLAR}${CRYPT}{1,86}${DOLLAR}${CRYPT}{43}`,
  // `$argon2id$v=19$m=65536,t=3,p=4$salt$hash`
  `${DOLLAR}(?:argon2(?:id|i|d)|s?crypt|pbkdf2(?:-sha\\d{1,3})?)(?:${DOLLAR}[\\w=,]{1,40}){0,3}(?:${DOLLAR}[\\w./+=-]{8,200}){1,2}`,
  String.raw`\b(?:pbkdf2_sha\d{1,3}|pbkdf2:sha\d{1,3}:\d{1,9}|scrypt:\d{1,9}:\d{1,3}:\d{1,3})${DOLLAR}(?:\d{1,9}${DOLLAR})?[\w./+=-]{4,100}${DOLLAR}[\w./+=-]{32,200}`,
  String.raw`\bSCRAM-SHA-(?:1|256|512)${DOLLAR}\d{1,9}:[\w+/=]{8,100}${DOLLAR}[\w+/=]{20,100}:[\w+/=]{20,100}`,
  String.raw`\{(?:S?SHA(?:256|384|512)?|S?MD5)\}[\w+/]{20,200}={0,2}`,
  // The hashes of a user of Windows: `aad3b435b51404eeaad3b435b51404ee:…:::`
  String.raw`\b[0-9a-fA-F]{32}:[0-9a-fA-F]{32}(?=:::)`,
]

const HASH = new RegExp(FORMS.join('|'), 'g')

/** Replaces hashes of passwords. */
export function redactHashes(text: string): string {
  return text.replace(HASH, KEY)
}

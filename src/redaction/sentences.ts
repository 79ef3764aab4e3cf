import { SECRET } from './marks.ts'

/** `The password is x`, `password: use x`. The value is no word, because the next word of most sentences is no secret. */
const SENTENCE =
  /\b((?:password|passphrase|passcode|secret|token|api key|access key|pw|pin(?= (?:code|is|was)))\b[^\r\n.:=]{0,40}?\b(?:is|was|as|to|are|be)[ \t]{1,8}(?:now[ \t]|set to[ \t])?["'`*]{0,3})(?![$<{%]|https?:|\d+[ \t.,])([^\s"'`*,;\\<]{6,200})/gi

const PASSWORD = 'pass(?:word|phrase|code|wort)|passwd|kennwort|contrase[ñn]a|mot de passe|\\bpw'

/** `Generated password for bob: x`, `Das Passwort lautet x`, `user bob, password x`. */
const NAMED = new RegExp(
  `\\b((?:${PASSWORD})\\b(?:[^\\r\\n.:=]{0,60}?:[ \\t]{1,8}(?=[^\\s:]+(?:[\\s"'\`]|$))|[^\\r\\n.:=]{0,40}?\\b(?:lautet|ist|es|est)[ \\t]{1,8}|[ \\t]{1,8}(?=\\S{0,40}\\d)(?=\\S{0,40}[a-z])(?=\\S{0,40}[A-Z]))["'\`*]{0,3})(?![$<{%[]|https?:|\\d+[ \\t.,])([^\\s"'\`*,;\\\\<]{6,200})`,
  'gi',
)

/** The words that stand for the key of a wallet: 12 to 24 of them. */
const MNEMONIC =
  /(\b(?:mnemonic|(?:seed|recovery|backup|secret)[ _-]?(?:phrase|words))\b["'`]?[ \t]{0,4}(?:[:=]|\bis\b)[ \t]{0,4}["'`]?)(?:[a-z]{3,8}[ \t]{1,4}){11,23}[a-z]{3,8}\b/gi

/** Replaces a password that a sentence names. */
export function redactSentences(text: string): string {
  const withoutWords = text.replace(MNEMONIC, `$1${SECRET}`)
  return [SENTENCE, NAMED].reduce(redactNamed, withoutWords)
}

function redactNamed(text: string, rule: RegExp): string {
  return text.replace(rule, (found, before: string, value: string) => {
    if (!isSecret(value.replace(/[.!?)]+$/, ''))) return found
    const [end = ''] = /[.!?]?$/.exec(value) ?? []
    return `${before}${SECRET}${end}`
  })
}

/** Whether it is no word and no name: it has a digit or a mark, or its letters are large and small without an order. */
function isSecret(value: string): boolean {
  if (!/[a-z]/i.test(value) || /[()[\]{}<>/=]/.test(value)) return false
  return /[\d!@#$%^&]/.test(value) || (/[a-z][A-Z].*[a-z][A-Z]/.test(value) && /[A-Z]{2}/.test(value))
}

import { SECRET } from './marks.ts'

/** `The password is x`, `password: use x`. The value is no word, because the next word of most sentences is no secret. */
const SENTENCE =
  /\b((?:password|passphrase|passcode|secret|token|api key|access key|pin(?= (?:code|is|was)))\b[^\r\n.:=]{0,40}?\b(?:is|was|as|to|are|be)[ \t]{1,8}(?:now[ \t]|set to[ \t])?["'`*]{0,3})(?![$<{%]|https?:|\d+[ \t.,])([^\s"'`*,;\\<]{6,200})/gi

/** Replaces a password that a sentence names. */
export function redactSentences(text: string): string {
  return text.replace(SENTENCE, (found, before: string, value: string) => {
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

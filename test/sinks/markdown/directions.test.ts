import { describe, expect, it } from 'vitest'
import {
  createInitialConversationState,
  reduceSessionEvents,
  type SessionConversationState,
} from '../../../src/entries/index.ts'
import { redactAll, toMarkdown } from '../../../src/entries/markdown.ts'
import { safeProse } from '../../../src/sinks/markdown/text/prose.ts'
import { htmlOf } from './page.ts'

const DIRECTION = /\p{Bidi_Control}/u

const MARKS = [
  ...['\u061c', '\u200e', '\u200f', '\u202a', '\u202b', '\u202c', '\u202d', '\u202e'],
  ...['\u2066', '\u2067', '\u2068', '\u2069'],
]

const stateWith = (content: string): SessionConversationState =>
  reduceSessionEvents(createInitialConversationState(), [
    { type: 'block:upsert', block: { type: 'user_message', id: 'p', status: 'complete', content } },
    { type: 'block:upsert', block: { type: 'assistant_text', id: 't', status: 'complete', content } },
    {
      type: 'block:upsert',
      block: {
        ...{ type: 'tool_use', id: 'c', toolUseId: 'c', toolName: 'Bash', status: 'complete' },
        input: { command: content, [content]: content },
      },
    },
  ])

// Text that ran in the other direction once looked like other code.
describe('marks of directions in Markdown', () => {
  it.each(MARKS)('shows %j as a replacement character', (mark) => {
    const text = toMarkdown(stateWith(`a${mark}b`))
    expect(text).not.toMatch(DIRECTION)
    expect(text.match(/a\ufffdb/g)?.length).toBeGreaterThanOrEqual(3)
  })

  it.each(MARKS.map((mark) => mark.charCodeAt(0)))(
    'leaves references to the character %i as they are',
    (code) => {
      const hex = code.toString(16)
      const text = `a&#${code};b &#x${hex}; &#X000${hex}; &rlm; &lrm; \`&#${code};\``
      const html = htmlOf(safeProse(text, {}))
      expect(html).not.toMatch(DIRECTION)
      expect(html).toContain(`a&amp;#${code};b`)
    },
  )

  it('keeps other references, and text of both directions', () => {
    expect(safeProse('a &#233; &eacute; &#x1F600; שלום', {})).toBe('a &#233; &eacute; &#x1F600; שלום')
  })

  it('redacts a text that a mark divides', () => {
    const text = toMarkdown(stateWith('Write to jo@\u202eexample.org'), { redact: redactAll })
    expect(text).toContain('[email]')
    expect(text).not.toContain('example.org')
  })

  it('shows a mark beside a text that is redacted', () => {
    const text = toMarkdown(stateWith('a\u202eb jo@example.org'), { redact: redactAll })
    expect(text).toContain('a\ufffdb')
    expect(text).not.toContain('jo@example.org')
  })
})

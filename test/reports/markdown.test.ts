import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parseTranscript } from '../../src/entries/index.ts'
import { toMarkdown } from '../../src/entries/markdown.ts'

const FOLDER = join(import.meta.dirname, '../../fixtures/reports/markdown')

it('a redaction sees the text of a summary line before its tags are removed', () => {
  const state = parseTranscript(
    'claude-sdk',
    readFileSync(join(FOLDER, 'redact-summary/session.jsonl'), 'utf8'),
  )
  const redact = (text: string) => text.replace(/<private>[\s\S]*?<\/private>/g, '[hidden]')
  const page = toMarkdown(state, { redact })
  expect(page).not.toContain('Rosalinde')
  expect(page).toContain('Go on.')
})

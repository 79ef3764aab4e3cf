import { describe, expect, it } from 'vitest'
import { scrubTranscript } from '../../../src/cli/scrub/scrub-transcript.ts'
import { sessionShape } from '../../../src/cli/scrub/session-shape.ts'
import { combinedOf, formsIn, keptWords, stateOf, wordsIn, wordsOf } from './forms.ts'

const FOLDERS = ['cline', 'copilot', 'gemini', 'grok', 'interactive', 'kilo', 'kimi', 'laws', 'pi', 'qwen']

/**
 * Sessions that the command refuses. Their readers compare texts: a queued prompt with the sent one, the words of a teammate, a text with the pieces of it.
 * Texts of equal lengths are equal without their words.
 */
const REFUSED: ReadonlySet<string> = new Set([
  'copilot/13c-killed-subagent, stream',
  'interactive/claude-code-tui/50a-team-in-process, store',
  'interactive/codex-tui/36-migrated, store',
])

describe.each(FOLDERS)('sessions in %s', (folder) => {
  it.each(formsIn(folder).map((form) => [`${folder}/${form.recording}, ${form.form}`, form] as const))(
    'keep their shape and lose their words: %s',
    (name, form) => {
      const before = combinedOf(form)
      const after = scrubTranscript(before)
      const [old, scrubbed] = [stateOf(form, before), stateOf(form, after)]
      expect(sessionShape(scrubbed) === sessionShape(old)).toBe(!REFUSED.has(name))
      const kept = keptWords(before)
      const words = [...wordsOf(old)].filter((word) => !kept.has(word))
      const left = wordsIn(after)
      expect(words.filter((word) => left.has(word))).toEqual([])
    },
  )
})

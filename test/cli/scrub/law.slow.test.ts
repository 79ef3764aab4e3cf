import { describe, expect, it } from 'vitest'
import { sessionShape } from '../../../src/cli/commands/scrub.ts'
import { scrubTranscript } from '../../../src/cli/scrub/scrub-transcript.ts'
import { combinedOf, formsIn, keptWords, stateOf, wordsIn, wordsOf } from './forms.ts'

const FOLDERS = ['cline', 'copilot', 'gemini', 'grok', 'interactive', 'kilo', 'kimi', 'laws', 'pi', 'qwen']

describe.each(FOLDERS)('sessions in %s', (folder) => {
  it.each(formsIn(folder).map((form) => [`${folder}/${form.recording}, ${form.form}`, form] as const))(
    'keep their shape and lose their words: %s',
    (_, form) => {
      const before = combinedOf(form)
      const after = scrubTranscript(before)
      const [old, scrubbed] = [stateOf(form, before), stateOf(form, after)]
      expect(sessionShape(scrubbed)).toBe(sessionShape(old))
      const kept = keptWords(before)
      const words = [...wordsOf(old)].filter((word) => !kept.has(word))
      const left = wordsIn(after)
      expect(words.filter((word) => left.has(word))).toEqual([])
    },
  )
})

import { describe, expect, it } from 'vitest'
import { copilotReader } from '../../src/programs/copilot/tool-result.ts'
import { geminiReader } from '../../src/programs/gemini/tool-result.ts'

describe('a text that the program writes over a protocol', () => {
  it.each([
    'Info: Request failed due to a transient API error. Retrying...',
    'Info: Response was interrupted due to a server error. Retrying...',
    'Info: Operation cancelled by user',
    'Warning: the context is nearly full',
  ])('is a warning: %s', (text) => expect(copilotReader.warning?.(text, undefined)).toBe(text))

  it.each(['Info: the file has three lines.', 'I am retrying...', 'It says "Info: Retrying..."'])(
    'is none of the program: %s',
    (text) => expect(copilotReader.warning?.(text, undefined)).toBeUndefined(),
  )

  it('has no marks of a heading that is empty', () => {
    expect(geminiReader.wholeThought?.('****\nA thought.')).toBe('A thought.')
    expect(geminiReader.wholeThought?.('**Counting**\nOne, two.')).toBe('**Counting**\nOne, two.')
  })
})

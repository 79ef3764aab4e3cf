import { type Raw, text } from '../status/oracle.ts'
import type { Meaning } from '../status/steps-oracle.ts'
import type { StepProgram } from '../steps/programs.ts'

/** Its file is no JSON. As messages, its lines are objects with a text. */
export const program: StepProgram = {
  name: 'Aider',
  beginning: ['{"text":"# aider chat started at 2026-01-01 00:00:00"}', '{"text":"#### Go.  "}'],
  line: (_, json) => `{"text":${json}}\n{"text":"> Tokens: 1 sent, 1 received.  "}`,
  isText: true,
  silent: '{"type":"aider_folder","cwd":"/"}',
  meaning: aiderMeaning,
  stored: {
    from: 'aider/01-edits/store',
    to: '.',
    session: '.aider.chat.history.md#2026-11-25T09:46:39',
    words: 'Because you asked.',
    prompt: 'Write the sum.\nAnd keep it short.',
  },
}

/** Lines have no ids. Only a text that comes after an interruption is a part of the turn before. */
function aiderMeaning(): (line: Raw) => Meaning {
  let turns = 0
  let isStopped = false
  return ({ text: line }) => {
    const words = text(line)
    if (words.startsWith('#### ')) {
      turns += 1
      isStopped = false
      return words.startsWith('#### /') ? undefined : 'work'
    }
    if (words.startsWith('> Tokens:')) return 'answer'
    if (words.startsWith('> ^C')) {
      isStopped = true
      return 'stop'
    }
    if (words.startsWith('> litellm.')) return 'failure'
    if (words.startsWith('> Retrying') || words.startsWith('> Attempt to fix')) return 'work'
    const isOwn = /^(?:#|>.*\s\s$|<\/|$)/.test(words)
    return isOwn || turns === 0 || isStopped ? undefined : 'work'
  }
}

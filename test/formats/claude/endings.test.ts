import { describe, expect, it } from 'vitest'
import type { Ending } from '../../../src/formats/source.ts'
import {
  aborted,
  agentCall,
  answered,
  blockStart,
  endTurn,
  init,
  interruption,
  LAUNCH,
  launched,
  type Message,
  messageDelta,
  messageStart,
  messageStop,
  notification,
  read,
  readFiles,
  said,
  system,
  text,
  told,
  toolResult,
  toolUse,
  turnResult,
} from './messages.ts'

describe('a stream', () => {
  it.each<[Ending, string, readonly Message[]]>([
    ['open', 'only begins', [init]],
    ['finished', 'has the turn’s result', [init, answered, turnResult()]],
    ['interrupted', 'is cut in a message', [init, messageStart('m1'), blockStart('m1', 0, text(''))]],
    ['interrupted', 'is cut while a tool runs', [init, said('m1', toolUse('t1'))]],
    [
      'interrupted',
      'is cut after a tool’s result',
      [init, said('m1', toolUse('t1')), toolResult('t1', 'out')],
    ],
    [
      'interrupted',
      'is interrupted by the user',
      [init, said('m1', text('Hal'), { aborted: true }), interruption, aborted],
    ],
    [
      'interrupted',
      'is interrupted and has no result',
      [init, said('m1', text('Hal'), { aborted: true }), interruption],
    ],
    [
      'open',
      'has an answer but no result yet',
      [init, messageStart('m1'), said('m1', text('Hi.')), messageDelta('m1', 'end_turn'), messageStop('m1')],
    ],
    [
      'finished',
      'went on after an interruption',
      [init, interruption, aborted, init, told('More.', { isReplay: true }), answered, turnResult()],
    ],
    [
      'finished',
      'ends with a refused request, whose result is called a success',
      [
        init,
        said('u1', text('API Error: 400'), { is_api_error_message: true }, { model: '<synthetic>' }),
        turnResult({ is_error: true, terminal_reason: 'api_error' }),
      ],
    ],
    [
      'finished',
      'went on after the token limit',
      [
        init,
        said('m1', text('Half'), {}, { stop_reason: 'max_tokens' }),
        told([text('Output token limit hit.')], { isSynthetic: true }),
        said('m2', text(' and half.'), {}, endTurn),
        turnResult(),
      ],
    ],
    [
      'finished',
      'went on after a refusal',
      [
        init,
        said('m1', text('No'), {}, { stop_reason: 'refusal' }),
        system('informational', { content: 'The model refused.' }),
        told([text('Go on.')], { isSynthetic: true, refused_message_id: 'm1' }),
        said('m2', text('Yes.'), {}, endTurn),
        turnResult(),
      ],
    ],
    [
      'interrupted',
      'is cut after the news of a background agent',
      [init, answered, turnResult(), init, messageStart('m2')],
    ],
  ])('that %s: %s', (ending, _, messages) => {
    expect(read(...messages).ending).toBe(ending)
  })
})

describe('a file', () => {
  it.each<[Ending, string, readonly Message[]]>([
    ['finished', 'ends with an answer', [told('Go.'), answered]],
    ['interrupted', 'ends with a prompt', [told('Go.'), answered, told('And?')]],
    [
      'interrupted',
      'ends with a tool call',
      [told('Go.'), said('m1', toolUse('t1'), {}, { stop_reason: 'tool_use' })],
    ],
    [
      'interrupted',
      'ends with a tool’s result',
      [told('Go.'), said('m1', toolUse('t1')), toolResult('t1', 'out')],
    ],
    [
      'interrupted',
      'ends with an interruption',
      [told('Go.'), said('m1', text('Hal'), { isAbortedMidStream: true }), interruption],
    ],
    [
      'interrupted',
      'ends in an answer that was aborted',
      [told('Go.'), said('m1', text('Hal'), { isAbortedMidStream: true })],
    ],
    [
      'finished',
      'is resumed after an interruption',
      [
        told('Go.'),
        interruption,
        said('u1', text('No response requested.'), {}, { model: '<synthetic>', ...endTurn }),
        told('More.'),
        answered,
      ],
    ],
    ['finished', 'goes on after an interruption', [told('Go.'), interruption, told('More.'), answered]],
    [
      'finished',
      'ends with notes of the program',
      [told('Go.'), answered, told('<command-name>/cost</command-name>'), told('Note.', { isMeta: true })],
    ],
    ['finished', 'says no reason why messages stop, as old ones', [told('Go.'), said('m1', text('Done.'))]],
    [
      'interrupted',
      'ends with a notification that nobody answered',
      [
        told('Go.'),
        said('m1', agentCall('t1')),
        toolResult('t1', LAUNCH, { toolUseResult: launched('a1') }),
        answered,
        notification('a1', 't1'),
      ],
    ],
  ])('is %s: it %s', (ending, _, messages) => {
    expect(readFiles(messages).ending).toBe(ending)
  })
})

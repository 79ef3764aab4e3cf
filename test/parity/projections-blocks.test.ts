import { beside, examples, live, stored } from './projection-examples.ts'
import { called, failed, noted, pending, said, skill, spawned, subagent, thought, told } from './states.ts'

examples('unfinished', {
  left: [
    ['a text that was being streamed', live([pending(said('a'))])],
    ['a call without its result', stored([pending(called('t1'))])],
    ['of a program that nobody knows', live([pending(said('a'))], [], 'unknown')],
    ['an agent’s call', stored([spawned('t1', { status: 'running' })])],
    ['in a subagent', live(beside(pending(said('b'))), beside())],
    ['a subagent that runs', live({ subagents: [subagent('t1', [], { status: 'running' })] })],
    ['one that was announced', stored({ subagents: [subagent('t1', [], { status: 'pending' })] })],
    [
      'what both were still building, each as far as it had come',
      live([pending(said('a', 'Half'))], [pending(said('a', 'Ha'))]),
    ],
  ],
  told: [
    ['a finished text', live([said('a')])],
    ['a call that failed', live([{ ...called('t1'), status: 'error' }])],
    ['a subagent that failed', live({ subagents: [subagent('t1', [], { status: 'error' })] })],
    ['what the other side has finished', live([pending(said('a'))], [said('a')])],
  ],
})

examples('prompt', {
  left: [
    ['of Claude Code', stored([told('p')])],
    ['of OpenCode', stored([told('p')], [], 'opencode')],
    [
      'beside what the program said in the stream',
      stored([told('n', 'summary'), told('p')], [told('n', 'summary')]),
    ],
  ],
  told: [
    ['the stream has another one', stored([told('a'), told('b')], [told('a')])],
    ['it was not stored', live([told('p')])],
    ['nobody knows the program', stored([told('p')], [], 'unknown')],
    ['the model said it', stored([said('p')])],
  ],
})

examples('program-note', {
  left: [
    ['a command', stored([told('n', 'command')])],
    ['a notification', stored([told('n', 'notification')])],
    ['what is for the model alone', stored([told('n', 'meta')])],
    ['in the stream', live([told('n', 'meta')])],
    ['to a subagent', stored(beside(told('n', 'meta')), beside())],
  ],
  told: [
    ['a summary', stored([told('n', 'summary')])],
    ['a summary in the stream', live([told('n', 'summary')])],
    ['of OpenCode, where both sides have it', stored([told('n', 'meta')], [], 'opencode')],
    ['of nobody', stored([told('n', 'meta')], [], 'unknown')],
  ],
})

examples('system-note', {
  left: [
    ['a hook, stored', stored([noted('hook')])],
    ['a hook in the stream', live([noted('hook')])],
    ['a retry of OpenCode', live([noted('retry')], [], 'opencode')],
    ['what the program says in the model’s place', stored([noted('synthetic')])],
    ['a kind that nobody knows', live([noted('tea_break')])],
    ['the interruption of a subagent', stored(beside(noted('interruption')), beside())],
  ],
  told: [
    ['main’s interruption, stored', stored([noted('interruption')])],
    ['main’s interruption in the stream', live([noted('interruption', 'm1:error')], [], 'opencode')],
    ['a compaction', stored([noted('compaction')])],
    ['a subagent’s compaction', live(beside(noted('compaction')), beside())],
    ['a revert', live([noted('revert')], [], 'opencode')],
    ['a hook of nobody', live([noted('hook')], [], 'unknown')],
    ['a skill', live([skill])],
  ],
})

examples('turn-failure', {
  left: [
    ['a result’s', live([failed('a', 'error_during_execution')])],
    ['of too many turns', live([failed('a', 'error_max_turns')])],
    [
      'a session’s of OpenCode that ended no message',
      live([failed('evt_1', 'UnknownError')], [], 'opencode'),
    ],
  ],
  told: [
    ['one that was stored', stored([failed('a', 'error_during_execution')])],
    ['an API error', live([failed('m1:0', 'invalid_request_error')])],
    ['one without a code', live([failed('m1:0')])],
    ['a message’s of OpenCode', live([failed('msg_1:error', 'APIError')], [], 'opencode')],
    ['a stored one of OpenCode', stored([failed('evt_1', 'APIError')], [], 'opencode')],
  ],
})

examples('thinking', {
  left: [['main’s, where the stream has none', stored([thought('a')], [], 'opencode')]],
  told: [
    ['the stream has some', stored([thought('a'), thought('b')], [thought('b')], 'opencode')],
    ['it was not stored', live([thought('a')], [], 'opencode')],
    ['of Claude Code, whose stream has it', stored([thought('a')])],
    ['a subagent’s', stored(beside(thought('a')), beside(), 'opencode')],
    ['a text', stored([said('a')], [], 'opencode')],
  ],
})

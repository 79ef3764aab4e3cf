import {
  errorBlock,
  modelText,
  pending,
  skillLoad,
  subagent,
  subagentBlock,
  systemNote,
  thinking,
  toolUse,
  userMessage,
} from '../states.ts'
import { live, stored, testExclusion, withSubagentCall } from './examples.ts'

testExclusion('unfinished', {
  excluded: [
    ['a streaming text', live([pending(modelText('a'))])],
    ['a call without its result', stored([pending(toolUse('t1'))])],
    ['of an unknown program', live([pending(modelText('a'))], [], 'unknown')],
    ['an agent’s call', stored([subagentBlock('t1', { status: 'running' })])],
    ['in a subagent', live(withSubagentCall(pending(modelText('b'))), withSubagentCall())],
    ['a running subagent', live({ subagents: [subagent('t1', [], { status: 'running' })] })],
    ['an announced subagent', stored({ subagents: [subagent('t1', [], { status: 'pending' })] })],
    [
      'a block that is pending on both sides, with different texts',
      live([pending(modelText('a', 'Half'))], [pending(modelText('a', 'Ha'))]),
    ],
  ],
  compared: [
    ['a finished text', live([modelText('a')])],
    ['a call that failed', live([{ ...toolUse('t1'), status: 'error' }])],
    ['a subagent that failed', live({ subagents: [subagent('t1', [], { status: 'error' })] })],
    ['a block that the other side has finished', live([pending(modelText('a'))], [modelText('a')])],
  ],
})

testExclusion('prompt', {
  excluded: [
    ['of Claude Code', stored([userMessage('p')])],
    ['of OpenCode', stored([userMessage('p')], [], 'opencode')],
    [
      'beside a summary in the stream',
      stored([userMessage('n', 'summary'), userMessage('p')], [userMessage('n', 'summary')]),
    ],
  ],
  compared: [
    ['the stream has another one', stored([userMessage('a'), userMessage('b')], [userMessage('a')])],
    ['it was not stored', live([userMessage('p')])],
    ['the program is unknown', stored([userMessage('p')], [], 'unknown')],
    ['it is a text of the model', stored([modelText('p')])],
  ],
})

testExclusion('program-note', {
  excluded: [
    ['a command', stored([userMessage('n', 'command')])],
    ['a notification', stored([userMessage('n', 'notification')])],
    ['a message for the model alone', stored([userMessage('n', 'meta')])],
    ['in the stream', live([userMessage('n', 'meta')])],
    ['to a subagent', stored(withSubagentCall(userMessage('n', 'meta')), withSubagentCall())],
  ],
  compared: [
    ['a summary', stored([userMessage('n', 'summary')])],
    ['a summary in the stream', live([userMessage('n', 'summary')])],
    ['of OpenCode, where both sides have it', stored([userMessage('n', 'meta')], [], 'opencode')],
    ['of an unknown program', stored([userMessage('n', 'meta')], [], 'unknown')],
  ],
})

testExclusion('system-note', {
  excluded: [
    ['a hook, stored', stored([systemNote('hook')])],
    ['a hook in the stream', live([systemNote('hook')])],
    ['a retry of OpenCode', live([systemNote('retry')], [], 'opencode')],
    ['a synthetic message of the program', stored([systemNote('synthetic')])],
    ['an unknown kind', live([systemNote('tea_break')])],
    [
      'the interruption of a subagent',
      stored(withSubagentCall(systemNote('interruption')), withSubagentCall()),
    ],
  ],
  compared: [
    ['main’s interruption, stored', stored([systemNote('interruption')])],
    ['main’s interruption in the stream', live([systemNote('interruption', 'm1:error')], [], 'opencode')],
    ['a compaction', stored([systemNote('compaction')])],
    ['a subagent’s compaction', live(withSubagentCall(systemNote('compaction')), withSubagentCall())],
    ['a hook of an unknown program', live([systemNote('hook')], [], 'unknown')],
    ['a skill', live([skillLoad])],
  ],
})

testExclusion('turn-failure', {
  excluded: [
    ['of a result', live([errorBlock('a', 'error_during_execution')])],
    ['of too many turns', live([errorBlock('a', 'error_max_turns')])],
    [
      'of a session of OpenCode, without a message',
      live([errorBlock('evt_1', 'UnknownError')], [], 'opencode'),
    ],
  ],
  compared: [
    ['one that was stored', stored([errorBlock('a', 'error_during_execution')])],
    ['an API error', live([errorBlock('m1:0', 'invalid_request_error')])],
    ['one without a code', live([errorBlock('m1:0')])],
    ['of a message of OpenCode', live([errorBlock('msg_1:error', 'APIError')], [], 'opencode')],
    ['a stored one of OpenCode', stored([errorBlock('evt_1', 'APIError')], [], 'opencode')],
  ],
})

testExclusion('thinking', {
  excluded: [['of main, if the stream has none', stored([thinking('a')], [], 'opencode')]],
  compared: [
    ['the stream has some', stored([thinking('a'), thinking('b')], [thinking('b')], 'opencode')],
    ['it was not stored', live([thinking('a')], [], 'opencode')],
    ['of Claude Code, whose stream has it', stored([thinking('a')])],
    ['a subagent’s', stored(withSubagentCall(thinking('a')), withSubagentCall(), 'opencode')],
    ['a text', stored([modelText('a')], [], 'opencode')],
  ],
})

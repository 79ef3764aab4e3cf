/** The words that programs write around a text, or in its place, so that a reader can recognize it. */
const SENTENCES: readonly RegExp[] = [
  // Tags, and their attributes
  /<user_input mode="\w+">|<status>\w+<\/status>/u,
  /\b(?:status|state|outcome|mode)="[a-z_-]+"/u,
  /* @__PURE__ */ new RegExp(
    '</?(?:(?:system|task|agent|teammate|command|local-command|bash|hook|user-prompt-submit)-[a-z-]+' +
      '|[a-z]+_[a-z_]+|git-context|subagent|task|output|result|status|summary|objective|command|exited' +
      String.raw`|shellId|qwen:[a-z-]+|tools-used-before-summary)(?=[\s>:=])>?`,
    'u',
  ),
  /\b(?:id|state|status|teammate_id|agent_id|type|resume)=(?="|\w)/u,
  /\b(?:item|mode|subagent_type|color|summary)=(?=")|\{\{\w+\}\}|\ba(?:compact|prompt_suggestion|side_question)(?=-)/u,
  // Labels of results
  /* @__PURE__ */ new RegExp(
    String.raw`\b(?:agent_id|agentId|subagent_id|task_id|task_ids|duration_ms|shellId|actual_subagent_type` +
      '|resume_hint|status): (?:running|completed|failed|killed|stopped|cancelled)?',
    'u',
  ),
  /\[summary\]|\[prompt redacted\]|\[MODE_UPDATE\]|\[Operation Cancelled\]|\[Subagent hand-back\]|--- RESULT ---/u,
  /* @__PURE__ */ new RegExp(
    String.raw`\b(?:Exit [Cc]ode|Output|Command|Error|Result|Wall time|Chunk ID|Warning|Info|Task|System|Signal` +
      '|Background PIDs|Process Group PGID|Directory|Stdout|Stderr): ',
    'u',
  ),
  /(?:Output|Result|Review comment|Full review comments):(?=\n|$)/u,
  /* @__PURE__ */ new RegExp(
    'Process (?:exited with code|running with session ID)|(?:Command )?[Ee]xited with (?:exit )?code' +
      '|(?:completed |Command failed )?with exit code',
    'u',
  ),
  /\(exit code/u,
  /Termination Reason: \w+/u,
  // The plan of a program that keeps it in a database
  /* @__PURE__ */ new RegExp(
    '(?:INSERT(?: OR (?:REPLACE|IGNORE))?|REPLACE) INTO todos|VALUES|UPDATE todos SET|DELETE FROM todos' +
      String.raw`|(?<=SET )(?:title|status)(?= ?=)|\b(?:title|status|description)(?=[\w, ]{0,200}\)\s*VALUES)` +
      String.raw`|WHERE(?= \w+ ?(?:=|IN))(?: (?:title|status)\b)?|'(?:pending|in_progress|done|blocked)'`,
    'u',
  ),
  // Answers of a person
  /User has answered your questions|\. You can now continue with the user's answers in mind\./u,
  // Agents
  // The words stand before what is looked for backwards, which begins once in a text so.
  /\(@(?=[^()\s]+ subagent\)$)| subagent\)$(?<=\(@[^()\s]+ subagent\))/u,
  /* @__PURE__ */ new RegExp(
    String.raw`Async agent launched|Spawned successfully|Subagent started in background\.|Background agent(?= )` +
      String.raw`|\blaunched\b|Agent "|Subagent '|' failed\. Error:|Delegating to agent '`,
    'u',
  ),
  /* @__PURE__ */ new RegExp(
    String.raw`was stopped by the user\.|Subagent execution failed` +
      String.raw`|The subagent was stopped before it finished\. Reason|subagent error|background agents? w(?:as` +
      '|ere) restored',
    'u',
  ),
  new RegExp(
    String.raw`Tool \x60spawn_subagent\x60 failed|Your task is to do a deep investigation` +
      '|Another Claude session sent a message|The coordinator sent a message while you were working',
    'u',
  ),
  /* @__PURE__ */ new RegExp(
    'Address this before|Full transcript|(?:Background|Detached foreground) tasks? (?:completed' +
      String.raw`|failed|stopped)|System-delivered|\[Workflow harness — [a-z]+ [a-z]+\]` +
      '|Complete assignment thoroughly',
    'u',
  ),
  // Interruptions and refusals
  /* @__PURE__ */ new RegExp(
    String.raw`\[Request interrupted by user(?: for tool use)?\]|\[Tool call interrupted: the session ended` +
      '|aborted by user(?: after)?|rejected by user|Operation cancelled|Request cancelled' +
      '|cancell?ed by the user',
    'u',
  ),
  /* @__PURE__ */ new RegExp(
    "The user doesn't want to(?: proceed with this tool use)?|Permission for this tool use was denied" +
      "|the user said:|Note: The user's next message|User rejected the tool call" +
      '|Permission request was cancelled',
    'u',
  ),
  /The user rejected permission to use this specific tool call|with the following feedback: |The user dismissed this question/u,
  // Notes of programs
  /* @__PURE__ */ new RegExp(
    'This session is being continued from a previous conversation|API Error' +
      String.raw`|Base directory for this skill|Requesting approval to|Turn limit reached|Context compressed \(`,
    'u',
  ),
  /* @__PURE__ */ new RegExp(
    'Context compaction started|Compacting conversation context|Compaction (?:completed|failed' +
      '|cancelled)|Conversation compacted|I ran the following shell command' +
      '|You have stopped calling tools without finishing',
    'u',
  ),
  /* @__PURE__ */ new RegExp(
    'No tasks found|not found|Task #|hook (?:feedback|additional context|success|stopped|error' +
      '|blocking error)|operation blocked by hook|Operation stopped by hook',
    'u',
  ),
  /\b(?:bash|zsh|sh|dash|fish)(?= -l?c)|^\/(?:compact|clear|rewind|resume|agents|review|undo|fork|model|exit)\b/u,
  /\/(?:usr\/)?(?:local\/)?bin\/(?:bash|zsh|sh|dash|fish)$|^Warmup$|\bfile:\/\/|Duration: [\d.]+ seconds/u,
  // Files
  /\bdata:[a-z]+\/[a-z+-]+;base64,|\/dev\/null|new file mode|deleted file mode|diff --git|rename (?:from|to)/u,
  new RegExp(
    String.raw`\*\*\* (?:Begin Patch|End Patch|(?:Add|Delete|Update) File|Move to|End of File)` +
      String.raw`|Moved to|No newline at end of file|Successfully overwrote|\x60\x60\x60diff|File created` +
      String.raw`|Replaced(?= \d)|bytes|Wrote(?= \d)`,
    'u',
  ),
  /* @__PURE__ */ new RegExp(
    '(?:unsupported call|exec_command failed|write_stdin failed|execution error' +
      '|apply_patch verification failed|patch rejected|command blocked by|Script failed|unknown tool)',
    'u',
  ),
]

/** The pattern of all sentences. They stay, because without them a reader takes a text for another thing. */
export const PHRASE: string = SENTENCES.map(({ source }) => source).join('|')

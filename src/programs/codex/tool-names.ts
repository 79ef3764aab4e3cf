/** The names of the tools whose calls are items. Each form and each model has other names for them. */
export const COMMAND = 'command_execution'
export const FILE_CHANGE = 'file_change'
export const WEB_SEARCH = 'web_search'
export const IMAGE_VIEW = 'image_view'
export const IMAGE_GENERATION = 'image_generation'
export const SPAWN_AGENT = 'spawn_agent'
export const WAIT_AGENT = 'wait_agent'

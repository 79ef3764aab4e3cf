export { toAtif } from '../sinks/atif/to-atif.ts'
export type {
  AtifAgent,
  AtifContentPart,
  AtifFinalMetrics,
  AtifMetrics,
  AtifResult,
  AtifStep,
  AtifToolCall,
  AtifTrajectory,
} from '../sinks/atif/trajectory.ts'

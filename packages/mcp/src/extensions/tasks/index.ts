export { awaitTask, type AwaitOptions } from './await-task.ts'
export { callAndFollow, cannotFollow, type FollowOptions } from './call-and-follow.ts'
export { becomeTask } from './run-task.ts'
export { readTask } from './read-task.ts'
export {
  declaresTasks,
  missingTasks,
  TASKS_EXTENSION,
  withTasks,
  type DetailedTask,
  type Task,
  type TaskStatus,
} from './task.ts'
export {
  createTaskClient,
  type TaskClient,
  type TaskClientOptions,
  type TaskingClient,
  type TaskRequestOptions,
} from './task-client.ts'
export type { SavedTask, TaskRun } from './task-run.ts'
export { TaskService, type TaskServiceOptions, type TasksOptions } from './task-service.ts'
export { tasks, type Tasks } from './tasks.ts'

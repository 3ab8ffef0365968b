export { becomeTask } from './become-task.ts'
export { TASKS_EXTENSION, type DetailedTask, type Task, type TaskStatus } from './task.ts'
export { tasks, type Tasks, type TasksOptions } from './tasks.ts'

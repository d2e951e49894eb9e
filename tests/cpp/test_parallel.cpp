// The pool: every row exactly once, lowest failure reported, cancellation, fork.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <vector>

#include "check.h"
#include "fastvbench/parallel.h"

namespace {

using fastvbench::Code;
using fastvbench::RunContext;
using fastvbench::Status;

RunContext with_threads(int threads) {
  RunContext context;
  context.threads = threads;
  return context;
}

bool every_row_runs_once(int threads) {
  std::vector<std::atomic<int>> seen(1003);
  auto body = [&](std::int64_t begin, std::int64_t end, std::int32_t) {
    for (std::int64_t i = begin; i < end; ++i) seen[static_cast<std::size_t>(i)].fetch_add(1);
    return Status();
  };
  if (!fastvbench::parallel_for(with_threads(threads), 1003, 7, body).ok()) return false;
  for (const auto& count : seen) {
    if (count.load() != 1) return false;
  }
  return true;
}

void check_failure_is_lowest() {
  auto body = [&](std::int64_t begin, std::int64_t, std::int32_t) {
    return begin >= 20 ? Status::invalid("too far", begin, 1.5) : Status();
  };
  const Status status = fastvbench::parallel_for(with_threads(3), 1000, 10, body);
  CHECK(status.code == Code::kInvalidArgument);
  CHECK(status.row == 20);
}

void check_cancelled() {
  RunContext context = with_threads(2);
  context.poll = [](void* data) { return ++*static_cast<int*>(data) > 3; };
  int polls = 0;
  context.poll_data = &polls;
  auto body = [](std::int64_t, std::int64_t, std::int32_t) { return Status(); };
  RunContext alone = context;
  alone.threads = 1;
  CHECK(fastvbench::parallel_for(alone, 1000, 1, body).code == Code::kCancelled);
}

void check_fork() {
  const pid_t child = fork();
  if (child == 0) _exit(every_row_runs_once(2) ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace

int main() {
  for (int threads : {1, 2, 5}) CHECK(every_row_runs_once(threads));
  for (int repeat = 0; repeat < 500; ++repeat) CHECK(every_row_runs_once(4));
  check_failure_is_lowest();
  check_cancelled();
  check_fork();
  return failure_count() != 0;
}

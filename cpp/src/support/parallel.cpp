// The thread pool. Work is claimed block by block, and the caller never waits for a helper that has
// not started, so a late wake-up costs nothing. A search is several jobs in a row, each shorter
// than it takes the system to wake a thread: so whoever waits looks for a short while before it
// sleeps.
//
// Fork: a child has none of the parent's threads. The pool remembers the process that made it and a
// call in another process builds a new one; the old one's memory is left alone, since its mutex may
// have been held at the moment of the fork.

#include "fastvbench/parallel.h"

#include <pthread.h>
#include <unistd.h>
#ifdef __linux__
#include <sched.h>
#endif
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

#include "support/float_state.h"

namespace fastvbench {
namespace {

constexpr std::int32_t kMostThreads = 256;
constexpr std::chrono::microseconds kLookingTime(100);

// The CPUs that the process may use, as it was when this was first asked.
std::int32_t usable_threads() {
  static const std::int32_t threads = [] {
#ifdef __linux__
    cpu_set_t usable;
    if (sched_getaffinity(0, sizeof usable, &usable) == 0) return CPU_COUNT(&usable);
#endif
    const unsigned reported = std::thread::hardware_concurrency();
    return reported == 0 ? 1 : static_cast<int>(reported);
  }();
  return threads;
}

// Looks until is_done() or for kLookingTime, without giving up the CPU.
template <typename IsDone>
void look_until(IsDone is_done) {
  const auto end = std::chrono::steady_clock::now() + kLookingTime;
  do {
    for (int i = 0; i < 32; ++i) {
      if (is_done()) return;
#if defined(__x86_64__)
      _mm_pause();
#elif defined(__aarch64__)
      __asm__ __volatile__("yield");
#endif
    }
  } while (std::chrono::steady_clock::now() < end);
}

// One call's work, on the caller's stack. Helpers touch it only between join() and leave().
struct Job {
  Job(BlockFunction function, void* data, std::int64_t count, std::int64_t block_rows)
      : function(function), data(data), count(count), block_rows(block_rows) {}

  BlockFunction function;
  void* data;
  std::int64_t count;
  std::int64_t block_rows;
  std::atomic<std::int64_t> next_begin{0};
  std::atomic<bool> stop{false};
  std::mutex failure_mutex;
  Status failure;
  std::int64_t failure_begin = INT64_MAX;

  void fail(const Status& status, std::int64_t begin) {
    std::lock_guard<std::mutex> lock(failure_mutex);
    if (begin < failure_begin) {
      failure_begin = begin;
      failure = status;
    }
    stop.store(true, std::memory_order_relaxed);
  }

  // Claims and runs blocks until none is left; `context` is null on helpers, which must not poll.
  void work(std::int32_t worker, const RunContext* context) {
    while (!stop.load(std::memory_order_relaxed)) {
      if (context != nullptr && context->should_stop()) {
        fail(Status::cancelled(), -1);
        return;
      }
      const std::int64_t begin = next_begin.fetch_add(block_rows, std::memory_order_relaxed);
      if (begin >= count) return;
      const std::int64_t end = begin + block_rows < count ? begin + block_rows : count;
      const Status status = function(data, begin, end, worker);
      if (!status.ok()) fail(status, begin);
    }
  }
};

class Pool {
 public:
  explicit Pool(pid_t process) : process_(process) {}

  pid_t process() const { return process_; }

  // Offers `job` to up to `helpers` waiting threads, works on it, and returns when no helper holds
  // it any more. One job at a time: a second caller works alone rather than waiting.
  void run(Job& job, std::int32_t helpers, const RunContext& context) {
    std::unique_lock<std::mutex> turn(turn_mutex_, std::try_to_lock);
    if (!turn.owns_lock() || helpers <= 0) {
      job.work(0, &context);
      return;
    }
    {
      std::lock_guard<std::mutex> lock(mutex_);
      start_threads(helpers);
      leave_callers_cpu(helpers);
      job_ = &job;
      seats_ = helpers < started_ ? helpers : started_;
      next_worker_ = 1;
      offers_.fetch_add(1, std::memory_order_relaxed);
    }
    wake_.notify_all();
    job.work(0, &context);
    std::unique_lock<std::mutex> lock(mutex_);
    job_ = nullptr;  // nobody may join from here on
    seats_ = 0;
    if (working_ > 0 && may_look()) {
      lock.unlock();
      look_until([this] { return working_ == 0; });
      lock.lock();
    }
    done_.wait(lock, [this] { return working_ == 0; });
  }

 private:
  void start_threads(std::int32_t wanted) {
    while (started_ < wanted) {
      // std::thread is the one thing here that reports failure by throwing: fewer helpers then.
      try {
        std::thread helper([this, seat = started_] { serve(seat); });
        threads_[started_] = helper.native_handle();
        helper.detach();
      } catch (const std::system_error&) {
        return;
      }
      ++started_;
    }
  }

  // Whoever looks takes a CPU, which must not be one that a worker needs.
  bool may_look() const { return started_ < usable_threads(); }

  // A helper that last ran where the caller runs now would be woken there, behind the caller, and
  // the other CPUs would look for work only at the next tick of the scheduler: milliseconds later.
  // So it is told to run elsewhere among the CPUs that the caller may use.
  void leave_callers_cpu(std::int32_t helpers) {
#ifdef __linux__
    const int cpu = sched_getcpu();
    for (std::int32_t i = 0; i < helpers && i < started_; ++i) {
      if (cpu < 0 || last_cpus_[i] != cpu) continue;
      cpu_set_t others;
      if (sched_getaffinity(0, sizeof others, &others) != 0) return;
      CPU_CLR(static_cast<std::size_t>(cpu), &others);
      if (CPU_COUNT(&others) == 0) return;
      pthread_setaffinity_np(threads_[i], sizeof others, &others);
    }
#else
    static_cast<void>(helpers);
#endif
  }

  bool has_seat() const { return job_ != nullptr && seats_ > 0; }

  void serve(std::int32_t seat) {
    const DefaultFloatState float_state;  // a thread starts with its creator's otherwise
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      if (!has_seat() && may_look()) {
        const std::uint32_t known = offers_.load(std::memory_order_relaxed);
        lock.unlock();
        look_until([this, known] { return offers_.load(std::memory_order_relaxed) != known; });
        lock.lock();
      }
      wake_.wait(lock, [this] { return has_seat(); });
      Job* job = job_;
      --seats_;
      ++working_;
      const std::int32_t worker = next_worker_++;
      lock.unlock();
      job->work(worker, nullptr);
      lock.lock();
#ifdef __linux__
      last_cpus_[seat] = sched_getcpu();
#else
      static_cast<void>(seat);
#endif
      if (--working_ == 0) done_.notify_one();
    }
  }

  const pid_t process_;
  std::mutex turn_mutex_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  Job* job_ = nullptr;
  std::int32_t started_ = 0;
  std::int32_t seats_ = 0;
  std::int32_t next_worker_ = 1;
  pthread_t threads_[kMostThreads] = {};
  int last_cpus_[kMostThreads] = {};
  // Changed under mutex_, as everything above; looked at without.
  std::atomic<std::int32_t> working_{0};
  std::atomic<std::uint32_t> offers_{0};
};

std::atomic<Pool*> shared_pool{nullptr};

// The process's pool, or null where memory ran out. Never destroyed: its threads outlive main().
Pool* pool_of_this_process() {
  Pool* pool = shared_pool.load(std::memory_order_acquire);
  const pid_t process = getpid();
  if (pool != nullptr && pool->process() == process) return pool;
  Pool* fresh = new (std::nothrow) Pool(process);
  if (fresh == nullptr) return nullptr;
  if (shared_pool.compare_exchange_strong(pool, fresh, std::memory_order_acq_rel)) return fresh;
  delete fresh;
  return shared_pool.load(std::memory_order_acquire);
}

}  // namespace

std::int32_t thread_count(const RunContext& context, std::int64_t block_count) {
  std::int64_t threads = context.threads;
  if (threads <= 0) threads = usable_threads();
  if (threads > kMostThreads) threads = kMostThreads;
  if (threads > block_count) threads = block_count;
  return threads < 1 ? 1 : static_cast<std::int32_t>(threads);
}

Status parallel_blocks(const RunContext& context, std::int64_t count, std::int64_t block_rows,
                       BlockFunction function, void* data) {
  if (count <= 0) return context.should_stop() ? Status::cancelled() : Status();
  if (block_rows <= 0) block_rows = 1;
  const std::int64_t block_count = (count + block_rows - 1) / block_rows;
  const std::int32_t helpers = thread_count(context, block_count) - 1;
  Job job(function, data, count, block_rows);
  Pool* pool = helpers > 0 ? pool_of_this_process() : nullptr;
  if (pool == nullptr) {
    job.work(0, &context);
  } else {
    pool->run(job, helpers, context);
  }
  return job.failure;
}

}  // namespace fastvbench

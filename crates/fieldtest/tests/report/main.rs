//! Reports of records that were made up: their forms, their page, comparisons, the published schema; and study files.

mod cautions;
mod compare;
mod forms;
mod page;
mod plans;
mod schema;

//! Reports of records that were made up: their forms, their page, the published schema; and study files.

mod cautions;
mod forms;
mod page;
mod plans;
mod schema;
